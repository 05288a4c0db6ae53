import { appendFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type Server, createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { eventsOf } from '../../src/cli/log/sources.js';
import { failing, here } from './here.js';
import { Command, whileServing } from './process.js';
import { listening } from '../support/listening.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const place = { path: '' };
beforeEach(() => {
  place.path = join(temporaryFolder(), 'events.ndjson');
});

const text = (more: object) =>
  JSON.stringify({ seq: 1, at: '2026-01-01T00:00:00.000Z', kind: 'entry', requestId: null, ...more });
const line = (seq: number, more: object = {}) => `${text({ seq, ...more })}\n`;

/** The numbers of the events that a command prints. */
async function shown(...args: string[]): Promise<number[]> {
  const { stdout, stderr, code } = await here('log', place.path, '--json', ...args);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const lines = stdout.split('\n').filter((each) => each !== '');
  return lines.map((each) => (JSON.parse(each) as { seq: number }).seq);
}

const refusal = (...args: string[]) => failing(2, 'log', ...args);

describe('event file of sim log', () => {
  it('is rejected when it is a folder', async () => {
    const folder = temporaryFolder();
    expect(await refusal(folder)).toContain(`${folder} is a folder; expected a file of sim start --log`);
  });

  it.each([
    ['a null posting', { postings: [null] }],
    ['changes that are not a list', { changed: 5 }],
    ['a numeric request id', { requestId: 5 }],
    ['an invalid instant', { at: 'yesterday' }],
  ])('is rejected for %s, with the number of the line', async (_what, more) => {
    writeFileSync(place.path, line(1) + line(2, more));
    expect(await refusal(place.path, '--wallet', 'w')).toContain('line 2 is not an event');
    expect((await here('log', place.path)).code).toBe(2);
  });

  it('is printed to its last complete event, with or without a final newline', async () => {
    writeFileSync(place.path, line(1) + text({ seq: 2 }));
    expect(await shown()).toEqual([1, 2]);
    writeFileSync(place.path, line(1) + text({ seq: 2 }).slice(0, 20));
    expect(await shown()).toEqual([1]);
  });

  it('is printed without the lines that a crash cut short, but not if it is another text', async () => {
    const torn = text({ seq: 2 }).slice(0, 20);
    writeFileSync(place.path, `${line(1)}${torn}\n${line(3)}${torn}${line(4)}${line(5)}`);
    expect(await shown()).toEqual([1, 3, 5]);
    writeFileSync(place.path, '# Notes');
    expect(await refusal(place.path)).toContain('line 1 is not an event');
  });

  it('is filtered by any of the values of a repeated option', async () => {
    const about = (wallet: string) => ({ kind: 'request', wallet });
    writeFileSync(place.path, line(1, about('a')) + line(2, about('b')) + line(3, about('c')) + line(4));
    expect(await shown('--wallet', 'a', '--wallet', 'c')).toEqual([1, 3]);
    expect(await shown('--kind', 'request', '--kind', 'entry', '--wallet', 'b')).toEqual([2]);
  });

  it('is shown from the newest event that --limit allows', async () => {
    writeFileSync(place.path, [1, 2, 3, 4, 5, 6, 7].map((seq) => line(seq)).join(''));
    expect(await shown('--limit', '2')).toEqual([6, 7]);
    expect(await shown('--limit', '20')).toEqual([1, 2, 3, 4, 5, 6, 7]);
    writeFileSync(place.path, line(1, { kind: 'request' }) + line(2) + line(3));
    expect(await shown('--limit', '1', '--kind', 'request')).toEqual([1]);
  });

  it('is shown from the newest event that --limit allows, then followed without limit', async () => {
    writeFileSync(place.path, line(1) + line(2) + line(3));
    const command = new Command(['log', place.path, '--json', '--follow', '--limit', '1']);
    await command.printed('"seq":3');
    appendFileSync(place.path, line(4) + line(5));
    await command.printed('"seq":5');
    expect(await command.endedBy('SIGINT')).toBe(0);
    expect(command.stdout.match(/"seq":\d/g)).toEqual(['"seq":3', '"seq":4', '"seq":5']);
  });

  it('says when no event matches, and refuses a code or an operation that does not exist', async () => {
    const injected = { kind: 'request', operation: 'getFoo', path: 'getFoo', code: 'teapot' };
    writeFileSync(place.path, line(1, injected));
    const none = { stdout: '', stderr: 'sim: no events match\n', code: 0 };
    for (const args of [
      ['--wallet', '3'],
      ['--request', 'req_99999999'],
      ['--code', 'insufficient_balance', '--endpoint', 'withdraw'],
      ['--code', '-32602', '--endpoint', '/account/deposit'],
      ['--code', 'teapot', '--endpoint', 'getFoo', '--wallet', '3'],
    ]) {
      expect(await here('log', place.path, ...args)).toEqual(none);
      expect(await shown(...args)).toEqual([]);
    }
    expect(await shown('--code', 'teapot', '--endpoint', 'getFoo')).toEqual([1]);
    expect(await refusal(place.path, '--endpoint', 'withdrew')).toContain('did you mean withdraw?');
    const { stderr, code } = await here('log', place.path, '--code', 'insufficent', '--json');
    expect(stderr).toContain('--code insufficent: neither the events nor the simulator has such a name.');
    expect(stderr).toContain('insufficient_balance');
    expect(code).toBe(2);
  });

  it.each([
    ['a number that is none', '--entry abc', /--entry must be a whole number of at least 1/],
    ['a fraction', '--limit 1.5', /--limit must be a whole number of at least 1/],
    ['no instant', '--since yesterday', /yesterday/],
    ['an option twice', '--since 2026-01-01 --since 2026-01-02', /--since is given twice/],
  ])('is not printed for %s', async (_what, args, message) => {
    writeFileSync(place.path, line(1));
    expect(await refusal(place.path, ...args.split(' '))).toMatch(message);
  });
});

/** Follows the file until the test ends. */
function following(): { readonly seqs: number[]; readonly end: () => Promise<void> } {
  const stopping = new AbortController();
  const seqs: number[] = [];
  const done = (async () => {
    for await (const { seq } of eventsOf(place.path, { following: stopping.signal })) seqs.push(seq);
  })();
  const end = () => {
    stopping.abort();
    return done;
  };
  onTestFinished(end);
  return { seqs, end };
}

describe('followed event file', () => {
  it('prints appended events, including ones written in two parts, until it is stopped', async () => {
    writeFileSync(place.path, line(1));
    const { seqs, end } = following();
    await vi.waitFor(() => expect(seqs).toEqual([1]));
    const [half, other] = [line(2).slice(0, 20), line(2).slice(20)];
    appendFileSync(place.path, half);
    appendFileSync(place.path, other + line(3));
    await vi.waitFor(() => expect(seqs).toEqual([1, 2, 3]));
    await end();
  });

  it('starts over when it is truncated', async () => {
    writeFileSync(place.path, line(1).repeat(20));
    const { seqs, end } = following();
    await vi.waitFor(() => expect(seqs).toHaveLength(20));
    writeFileSync(place.path, '');
    appendFileSync(place.path, line(2));
    await vi.waitFor(() => expect(seqs.slice(20)).toEqual([2]));
    await end();
  });

  it('can be a symbolic link into another folder', async () => {
    const target = join(temporaryFolder(), 'target');
    writeFileSync(target, line(1));
    symlinkSync(target, place.path);
    const { seqs, end } = following();
    await vi.waitFor(() => expect(seqs).toEqual([1]));
    appendFileSync(target, line(2));
    await vi.waitFor(() => expect(seqs).toEqual([1, 2]));
    await end();
  });
});

const urlOf = async (server: Server) => `http://127.0.0.1:${await listening(server)}`;

describe('sim log with a URL', () => {
  it.each([
    ['text', 200, 'Hello'],
    ['an HTML error', 404, '<html>'],
    ['null', 404, 'null'],
    ['an error of another service', 404, '{"detail":"Not Found"}'],
    ['events of another service', 200, '{"events":[{"id":1}]}'],
    ['an empty object', 200, '{}'],
  ])('reports a server that answers with %s as not a simulator', async (_what, status, body) => {
    const server = createHttpServer((_request, response) => void response.writeHead(status).end(body));
    const url = await urlOf(server);
    expect(await failing(1, 'log', url)).toContain(
      `the server at ${url} is not a simulator; use the URL that sim start printed`,
    );
  });

  it('reports a server that does not speak HTTP as not a simulator, and one that is not there', async () => {
    const url = await urlOf(createServer((socket) => void socket.end('220 mail\r\n')));
    expect(await failing(1, 'log', url)).toContain('is not a simulator');
    expect(await failing(1, 'log', 'http://127.0.0.1:1')).toContain('cannot reach');
  });

  it('rejects an invalid URL as wrong usage', async () => {
    expect(await refusal('http://')).toContain('http:// is not a URL such as http://127.0.0.1:4020');
  });
});

describe('sim log of a running simulator', { tags: ['slow'] }, () => {
  it('filters its events, and those of its file', async () => {
    await whileServing(
      ['--log', place.path, '--time', 'frozen'],
      async ({ origin, ready, agent: agentAt }) => {
        const agent = agentAt();
        await agent.signIn();
        await agent.account();
        await agent.withdraw({ amount: 5, token: 'USDC' }).catch(() => undefined);
        const { stdout } = await here('log', origin, '--code', 'insufficient_balance', '--json');
        expect(JSON.parse(stdout)).toMatchObject({ operation: 'withdraw', status: 400 });
        const wallet = ready.wallets[0]?.address ?? '';
        const entries = await here('log', `${origin}/`, '--wallet', wallet, '--kind', 'entry');
        expect(entries.stdout.split('\n')[1]).toMatch(/^\d+ +2026-01-01T00:00:00.000Z +entry +req_\d+ /);
      },
    );
    const all = await shown();
    expect(all.length).toBeGreaterThan(4);
    expect(await shown('--endpoint', 'withdraw')).toHaveLength(1);
    expect(await shown('--endpoint', '/account/withdraw')).toHaveLength(1);
    expect(await shown('--entry', '1')).toHaveLength(1);
    expect(await shown('--since', '2026-01-01T00:00:00Z')).toEqual(all);
    expect(await shown('--until', '2026-01-01T00:00:00Z')).toEqual([]);
    expect(await shown('--request', 'req_00000003')).toHaveLength(1);
    expect(await shown('--signature', 'nobody')).toEqual([]);
    expect((await here('log', place.path)).stdout).toMatch(/^seq +at +kind +request +wallet +what\n/);
  });

  it('follows it until a signal', async () => {
    await whileServing(['--engine', 'litesvm', '--time', 'frozen'], async ({ ready, agent: agentAt }) => {
      const command = new Command(['log', ready.baseUrl, '--follow', '--endpoint', 'withdraw']);
      await agentAt().signIn();
      await agentAt()
        .withdraw({ amount: 5, token: 'USDC' })
        .catch(() => undefined);
      await command.printed('insufficient_balance');
      expect(await command.endedBy('SIGTERM')).toBe(0);
    });
  });
});
