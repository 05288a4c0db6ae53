import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordingOfHar } from '../../src/recording/har/har-recording.js';
import { readHar } from '../../src/recording/har/read-har.js';
import { fidelityOf } from '../../src/recording/har/fidelity.js';
import { UnreadableRecording } from '../../src/recording/recording-error.js';
import { showLog } from '../../src/cli/log/log.js';
import { UsageError } from '../../src/cli/usage.js';
import { folder } from './attack-support.js';

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
