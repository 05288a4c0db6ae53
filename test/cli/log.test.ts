import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, type Server, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { eventsOf } from '../../src/cli/log/sources.js';
import { here } from './here.js';

const folder = mkdtempSync(join(tmpdir(), 'sim-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const place = { number: 0, path: '' };
beforeEach(() => {
  place.number += 1;
  mkdirSync(join(folder, String(place.number)));
  place.path = join(folder, String(place.number), 'events.ndjson');
});

const text = (more: object) =>
  JSON.stringify({ seq: 1, at: '2026-01-01T00:00:00.000Z', kind: 'entry', requestId: null, ...more });
const line = (seq: number, more: object = {}) => `${text({ seq, ...more })}\n`;

/** The numbers of the events that a command shows. */
async function shown(...args: string[]): Promise<number[]> {
  const { stdout, stderr, code } = await here('log', place.path, '--json', ...args);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const lines = stdout.split('\n').filter((each) => each !== '');
  return lines.map((each) => (JSON.parse(each) as { seq: number }).seq);
}

/** What a command says is wrong usage: one sentence. */
async function refusal(...args: string[]): Promise<string> {
  return failure(2, ...args);
}

/** What stderr says of a command that ends with this exit code. */
async function failure(expected: number, ...args: string[]): Promise<string> {
  const { code, stderr } = await here('log', ...args);
  expect(code, stderr).toBe(expected);
  expect(stderr).toMatch(/^sim: [^\n]+\n$/);
  return stderr;
}

describe('a file of events', () => {
  it('is none when it is a folder, which is said', async () => {
    expect(await refusal(folder)).toContain(`${folder} is a folder; expected a file of sim start --log`);
  });

  it.each([
    ['a posting that is null', { postings: [null] }],
    ['what has changed in no list', { changed: 5 }],
    ['a request that is a number', { requestId: 5 }],
    ['an instant that is none', { at: 'yesterday' }],
  ])('that holds %s is damaged, and it is said where', async (_what, more) => {
    writeFileSync(place.path, line(1) + line(2, more));
    expect(await refusal(place.path, '--wallet', 'w')).toContain('line 2 is not an event');
    expect((await here('log', place.path)).code).toBe(2);
  });

  it('is shown to its end, whose line may have none, but not half a line', async () => {
    writeFileSync(place.path, line(1) + text({ seq: 2 }));
    expect(await shown()).toEqual([1, 2]);
    writeFileSync(place.path, line(1) + text({ seq: 2 }).slice(0, 20));
    expect(await shown()).toEqual([1]);
  });

  it('is narrowed down by any of the values of an option that is said more than once', async () => {
    const about = (wallet: string) => ({ kind: 'request', wallet });
    writeFileSync(place.path, line(1, about('a')) + line(2, about('b')) + line(3, about('c')) + line(4));
    expect(await shown('--wallet', 'a', '--wallet', 'c')).toEqual([1, 3]);
    expect(await shown('--kind', 'request', '--kind', 'entry', '--wallet', 'b')).toEqual([2]);
  });

  it('has entries with whole numbers, and begins and ends once', async () => {
    writeFileSync(place.path, line(1));
    for (const args of [
      ['--entry', 'abc'],
      ['--entry', '1.5'],
      ['--limit', 'abc'],
      ['--limit', '1.5'],
    ])
      expect(await refusal(place.path, ...args)).toMatch(/a whole number of at least 1|must be a number/);
    const since = ['--since', '2026-01-01T00:00:00Z'];
    expect(await refusal(place.path, ...since, ...since)).toContain('--since may be given only once');
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

describe('a file of events that is followed', () => {
  it('goes on with what is appended, also by halves, until it is told to end', async () => {
    writeFileSync(place.path, line(1));
    const { seqs, end } = following();
    await vi.waitFor(() => expect(seqs).toEqual([1]));
    const [half, other] = [line(2).slice(0, 20), line(2).slice(20)];
    appendFileSync(place.path, half);
    appendFileSync(place.path, other + line(3));
    await vi.waitFor(() => expect(seqs).toEqual([1, 2, 3]));
    await end();
  });

  it('begins anew when it was emptied', async () => {
    writeFileSync(place.path, line(1).repeat(20));
    const { seqs, end } = following();
    await vi.waitFor(() => expect(seqs).toHaveLength(20));
    writeFileSync(place.path, '');
    appendFileSync(place.path, line(2));
    await vi.waitFor(() => expect(seqs.slice(20)).toEqual([2]));
    await end();
  });

  it('goes on with the new file of its name when it was renamed, and shows the last of the old one', async () => {
    writeFileSync(place.path, line(1));
    const { seqs, end } = following();
    await vi.waitFor(() => expect(seqs).toEqual([1]));
    renameSync(place.path, `${place.path}.1`);
    // Who writes it does so until it is told of the new one.
    appendFileSync(`${place.path}.1`, line(2));
    await vi.waitFor(() => expect(seqs).toEqual([1, 2]));
    writeFileSync(place.path, line(3));
    await vi.waitFor(() => expect(seqs).toEqual([1, 2, 3]));
    appendFileSync(place.path, line(4));
    await vi.waitFor(() => expect(seqs).toEqual([1, 2, 3, 4]));
    await end();
  });

  it('waits for another when it was deleted', async () => {
    writeFileSync(place.path, line(1));
    const { seqs, end } = following();
    await vi.waitFor(() => expect(seqs).toEqual([1]));
    rmSync(place.path);
    writeFileSync(`${place.path}.new`, line(2));
    copyFileSync(`${place.path}.new`, place.path);
    await vi.waitFor(() => expect(seqs).toEqual([1, 2]));
    await end();
  });

  it('may be a link into another folder', async () => {
    const target = join(folder, `${place.number}-target`);
    writeFileSync(target, line(1));
    symlinkSync(target, place.path);
    const { seqs, end } = following();
    await vi.waitFor(() => expect(seqs).toEqual([1]));
    appendFileSync(target, line(2));
    await vi.waitFor(() => expect(seqs).toEqual([1, 2]));
    await end();
  });
});

/** The address of something that listens until the test ends. */
async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('an address', () => {
  it.each([
    ['words', 200, 'Hello'],
    ['an error in words', 404, '<html>'],
    ['null', 404, 'null'],
    ['an error of its own', 404, '{"detail":"Not Found"}'],
    ['a page of something else', 200, '{"events":[{"id":1}]}'],
    ['an object of something else', 200, '{}'],
  ])('that answers with %s is no simulator, which is said', async (_what, status, body) => {
    const server = createHttpServer((_request, response) => void response.writeHead(status).end(body));
    const url = await listening(server);
    expect(await failure(1, url)).toContain(
      `the server at ${url} is not a simulator; use the URL that sim start printed`,
    );
  });

  it('that speaks no HTTP is none either', async () => {
    const url = await listening(createServer((socket) => void socket.end('220 mail\r\n')));
    expect(await failure(1, url)).toContain('is not a simulator');
  });

  it('that is none is wrong usage', async () => {
    expect(await refusal('http://')).toContain('http:// is not a URL such as http://127.0.0.1:4020');
  });
});
