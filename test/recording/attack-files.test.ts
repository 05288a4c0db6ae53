import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordingOfHar } from '../../src/recording/har/har-recording.js';
import { readHar } from '../../src/recording/har/read-har.js';
import { fidelityOf } from '../../src/recording/har/fidelity.js';
import { readRecording } from '../../src/recording/read-recording.js';
import { UnreadableRecording } from '../../src/recording/recording-error.js';
import { replayRecording } from '../../src/recording/replay.js';
import { showLog } from '../../src/cli/log/log.js';
import { UsageError } from '../../src/cli/usage.js';
import { folder } from './attack-support.js';

const FILE = join('fixtures', 'recordings', 'version-2.ndjson');
const rows = readFileSync(FILE, 'utf8').split('\n');
const HEADER = rows[0] as string;
const AT = (JSON.parse(rows[2] as string) as { at: number }).at;

const SENT = JSON.parse(rows.find((row) => row.includes('"transaction":')) as string) as Record<string, unknown>;
const told = { status: 200, body: {} };

/** Lines as nobody has recorded them. */
const DAMAGED: Readonly<Record<string, unknown>> = {
  'an operation that there is not': { at: AT, kind: 'call', operation: 'nope', answer: told },
  'an operation that is a member of every object': { at: AT, kind: 'call', operation: 'constructor', answer: told },
  'a key that is no text': { at: AT, kind: 'call', operation: 'account', key: 5, answer: told },
  'a text that is none': { at: AT, kind: 'call', operation: 'withdraw', text: 5, answer: told },
  'an instant that is none': { at: 1e300, kind: 'call', operation: 'account', answer: told },
  'an answer of the RPC that is a number': { ...SENT, answer: 5 },
  'a transaction that is null': { ...SENT, transaction: null },
  'a transaction without signers': { ...SENT, transaction: { ...(SENT['transaction'] as object), signed: [] } },
  'a transaction whose message is cut': { ...SENT, transaction: { ...(SENT['transaction'] as object), message: 'AQ==' } },
  'a transaction of nothing': { at: AT, kind: 'send' },
  'time that moves in no way': { at: AT, kind: 'clock', mode: 'x' },
  'time that is none': { at: AT, kind: 'clock', to: 1e300 },
  'an id of a command that is no text': { at: AT, kind: 'control', command: 'revert', id: 5, method: 'POST', answer: told },
  'a command that answers in bytes': { at: AT, kind: 'control', command: 'exportState', method: 'GET', answer: told },
  'a method without an answer': { at: AT, kind: 'control', command: 'time', method: 'HEAD', answer: told },
};

/** What came of a file: a report, or that it cannot be read; anything else is thrown. */
async function outcome(text: string): Promise<'replayed' | 'unreadable'> {
  try {
    await replayRecording(readRecording(text, 'x.ndjson'));
    return 'replayed';
  } catch (error) {
    if (error instanceof UnreadableRecording) return 'unreadable';
    throw error;
  }
}

describe('a recording that somebody has edited is said to be damaged, or differs', () => {
  it.each(Object.entries(DAMAGED))('%s', async (_what, line) => {
    expect(['replayed', 'unreadable']).toContain(await outcome(`${HEADER}\n${JSON.stringify(line)}\n`));
  });

  it('a line that is nested deeply', async () => {
    const body = '['.repeat(10_000) + ']'.repeat(10_000);
    const line = `{"at":${AT},"kind":"call","operation":"withdraw","body":${body},"answer":null}`;
    expect(['replayed', 'unreadable']).toContain(await outcome(`${HEADER}\n${line}\n`));
  });

  it('a command that never ends', { timeout: 5_000 }, async () => {
    const line = { at: AT, kind: 'control', command: 'events/stream', method: 'GET', answer: told };
    expect(['replayed', 'unreadable']).toContain(await outcome(`${HEADER}\n${JSON.stringify(line)}\n`));
  });

  it('a header that asks for a data folder writes nothing to the disk', async () => {
    const dataDir = join(folder(), 'bank');
    const header = JSON.parse(HEADER) as { options: object };
    const edited = JSON.stringify({ ...header, options: { ...header.options, dataDir } });
    await outcome(`${edited}\n`).catch(() => undefined);
    expect(existsSync(dataDir)).toBe(false);
  });
});

const URL_OF = 'https://bank.example/agent/account';
const entry = (url = URL_OF, more: { method?: string; request?: object; response?: object } = {}) => ({
  startedDateTime: '2026-01-05T00:00:00Z',
  request: {
    method: more.method ?? 'GET',
    url,
    headers: [{ name: 'authorization', value: 'Bearer some.token.here' }],
    ...more.request,
  },
  response: { status: 200, content: { text: '{"checking":{"usdc":1,"sol":0}}' }, ...more.response },
});
const session = (entries: unknown[], base?: string) =>
  readHar(JSON.stringify({ log: { entries } }), 'x.har', base);

describe('a HAR file', () => {
  it('may hold addresses that are none', () => {
    const { calls, others } = session([
      entry(),
      entry('https://bank.example:99999999/agent/account'),
      entry('https://bank.example/agent/loans/%zz'),
    ]);
    expect([calls.length, others]).toEqual([1, 2]);
  });

  it('may hold calls of other hosts whose names begin alike', () => {
    const { calls, others } = session([entry(), entry('https://bank.example.other.org/agent/account')]);
    expect([calls.length, others]).toEqual([1, 1]);
  });

  it('may be read with a base that is no URL', () => {
    for (const base of ['http', '']) expect(() => session([entry()], base)).toThrow(UnreadableRecording);
  });

  it('may have null for what is not there', () => {
    const request = { postData: null };
    const response = { content: { text: null } };
    expect(session([entry(URL_OF, { request, response })]).calls.length).toBe(1);
  });

  it('may tell of amounts and senders that cannot be', async () => {
    const huge = entry(URL_OF, { response: { content: { text: '{"checking":{"usdc":1e303,"sol":0}}' } } });
    const answer = JSON.stringify({ success: true, amount: 1, token: 'USDC', sender: 'abc' });
    const nobody = entry('https://bank.example/agent/account/x402/receive', {
      method: 'POST',
      request: { postData: { text: JSON.stringify({ tx_signature: '5'.repeat(88) }) } },
      response: { content: { text: answer } },
    });
    for (const each of [huge, nobody])
      expect((await fidelityOf(recordingOfHar(session([each])))).calls).toBe(1);
  });

  it('does not count calls that got no answer as ones that the service answered otherwise', async () => {
    const lost = entry(URL_OF, { response: { status: 0, content: {} } });
    const { different } = await fidelityOf(recordingOfHar(session([lost])));
    expect(different).toEqual([]);
  });
});

describe('sim log', () => {
  const show = (source: string, more = {}) => showLog({ source, follow: false, json: true, ...more });
  const event = (more: object) =>
    `${JSON.stringify({ seq: 1, at: '2026-01-01T00:00:00.000Z', kind: 'entry', requestId: null, ...more })}\n`;

  it('says that a folder is no log', async () => {
    await expect(show(folder())).rejects.toThrow(UsageError);
  });

  it('says that an event is damaged', async () => {
    const path = join(folder(), 'log');
    writeFileSync(path, event({ postings: [null] }));
    await expect(show(path, { wallet: 'w' })).rejects.toThrow(UsageError);
  });

  it('goes on with a file that was emptied while it follows it', { timeout: 10_000 }, async () => {
    const path = join(folder(), 'log');
    writeFileSync(path, event({ seq: 1 }).repeat(20));
    const shown: string[] = [];
    const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = ((text: string) => shown.push(String(text)) > 0) as typeof process.stdout.write;
    const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    const following = show(path, { follow: true }).catch((error: unknown) => error);
    try {
      await wait(300);
      writeFileSync(path, '');
      await wait(200);
      writeFileSync(path, event({ seq: 2, what: 'after' }), { flag: 'a' });
      await wait(500);
      process.emit('SIGINT');
      expect(await following).toBeUndefined();
    } finally {
      process.stdout.write = write;
    }
    expect(shown.join('')).toContain('after');
  });
});
