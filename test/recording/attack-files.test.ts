import { describe, expect, it } from 'vitest';
import { recordingOfHar } from '../../src/recording/har/har-recording.js';
import { readHar } from '../../src/recording/har/read-har.js';
import { fidelityOf } from '../../src/recording/har/fidelity.js';
import { UnreadableRecording } from '../../src/recording/recording-error.js';

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
