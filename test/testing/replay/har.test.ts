import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { UnreadableRecording } from '../../../src/testing/replay/recording-error.js';
import { fidelityOf, unlike } from '../../../src/testing/replay/har/fidelity.js';
import { recordingOfHar } from '../../../src/testing/replay/har/har-recording.js';
import { readHar } from '../../../src/testing/replay/har/read-har.js';
import { here } from '../../cli/here.js';

const SAMPLE = fileURLToPath(new URL('../../../fixtures/har/invented-session.har', import.meta.url));
const text = readFileSync(SAMPLE, 'utf8');

describe('HAR file of a deployed service', () => {
  it('is read as the service’s calls in order of time, at any base URL', () => {
    const session = readHar(text, SAMPLE);
    expect(session).toMatchObject({ baseUrl: 'https://bank.invented.example/api/v1', others: 1 });
    expect(session.calls.map(({ operation }) => operation)).toEqual([
      'challenge',
      'verify',
      'account',
      'deposit',
      'deposit',
      'savingsDeposit',
      'withdraw',
      'account',
      'loans',
      'account',
    ]);
  });

  it('becomes a recording without tokens and signatures', () => {
    const lines = JSON.stringify(recordingOfHar(readHar(text, SAMPLE)).lines);
    for (const [, value] of text.matchAll(/Bearer ([\w.-]+)/g)) expect(lines).not.toContain(value);
    expect(lines).not.toContain('Nonce');
    expect(lines).not.toContain('2nBhEBYYvfaAe16U');
  });

  it('is replayed with the balances its wallets need, and compared per endpoint', async () => {
    const recording = recordingOfHar(readHar(text, SAMPLE), { overview: 'A' });
    for (const engine of ['litesvm', 'bankrun'] as const) {
      const { different, unprepared, byEndpoint, calls, same } = await fidelityOf(recording, { engine });
      expect(unprepared, engine).toEqual([]);
      expect(different).toEqual([
        {
          number: 8,
          operation: 'withdraw',
          unlike: [
            {
              aspect: 'code',
              path: 'code',
              service: 'insufficient_funds',
              simulator: 'insufficient_balance',
            },
          ],
        },
        {
          number: 9,
          operation: 'account',
          unlike: [{ aspect: 'shape', path: 'tier', service: 'string', simulator: undefined }],
        },
      ]);
      expect({ calls, same }).toEqual({ calls: 10, same: 8 });
      expect(byEndpoint['account']).toMatchObject({ calls: 3, same: 2, shape: 1 });
    }
  });

  it('is compared by command with a report and exit code 1 for differences', async () => {
    const { code, stdout, stderr } = await here('replay', SAMPLE, '--variant', 'overview=A');
    expect(stderr).toBe('');
    expect(code).toBe(1);
    expect(stdout).toContain('Simulator compared with https://bank.invented.example/api/v1');
    expect(stdout).toMatch(/endpoint +calls +same +status +code +shape +numbers +words\n/);
    expect(stdout).toMatch(/withdraw +1 +- +- +1 +- +- +-\n/);
    expect(stdout).toContain(
      'entry 9: account: shape: tier: the service has "string", the simulator nothing',
    );
    expect(stdout).toContain('8 of 10 calls match.');
    expect(JSON.parse((await here('replay', SAMPLE, '--json')).stdout)).toMatchObject({ calls: 10 });
    expect(await here('replay', SAMPLE, '--base-url', 'https://elsewhere.example')).toMatchObject({
      code: 2,
    });
  });

  it('is rejected with the reason when it contains no call of the service', () => {
    expect(() => readHar('{"log":{"entries":[{}]}}', 'a.har')).toThrow(UnreadableRecording);
    expect(() => readHar('{"log":{"entries":[]}}', 'a.har')).toThrow(/no call of the service/);
  });
});

const URL_OF = 'https://bank.example/agent/account';

/** An entry of a HAR file, as a browser may have written it. */
function entry(url = URL_OF, more: { method?: string; request?: object; response?: object } = {}): object {
  return {
    startedDateTime: '2026-01-05T00:00:00Z',
    request: {
      method: more.method ?? 'GET',
      url,
      headers: [{ name: 'authorization', value: 'Bearer some.token.here' }],
      ...more.request,
    },
    response: { status: 200, content: { text: '{"checking":{"usdc":1,"sol":0}}' }, ...more.response },
  };
}

const session = (entries: unknown[], base?: string) =>
  readHar(JSON.stringify({ log: { entries } }), 'x.har', base);

/** How many calls and how many others there are. */
function counted(entries: unknown[], base?: string): [number, number] {
  const { calls, others } = session(entries, base);
  return [calls.length, others];
}

describe('HAR file with unusual entries', () => {
  it('is read without entries that have invalid URLs, invalid instants or deep nesting', () => {
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    const others = [
      entry('https://bank.example:99999999/agent/account'),
      entry('https://bank.example/agent/loans/%zz'),
      entry('data:text/plain,/agent/account'),
      { ...entry(), startedDateTime: '+275760-09-13T00:00:00Z' },
      { ...entry(), startedDateTime: 'yesterday' },
      entry(URL_OF, { response: { content: { text: deep } } }),
      entry('https://bank.example/agent/loans', { method: 'POST', request: { postData: { text: deep } } }),
    ];
    expect(counted([entry(), ...others])).toEqual([1, others.length]);
  });

  it('is read without calls of other services whose addresses begin alike', () => {
    const others = [
      'https://bank.example.other.org/agent/account',
      'https://bank.example:8443/agent/account',
      'http://bank.example/agent/account',
      'https://bank.example@other.org/agent/account',
    ].map((url) => entry(url));
    expect(counted([entry(), ...others])).toEqual([1, others.length]);
    expect(counted([entry(), ...others], 'https://bank.example:443/')).toEqual([1, others.length]);
    const [own, longer] = ['https://a.example/api/agent/account', 'https://a.example/api2/agent/account'];
    expect(counted([entry(own), entry(longer)], 'https://a.example/api')).toEqual([1, 1]);
  });

  it('is rejected with the reason for an invalid base URL', async () => {
    for (const base of ['http', '', 'http://', 'ftp://bank.example', 'https://bank.example:99999999'])
      expect(() => session([entry()], base), base).toThrow(
        new UnreadableRecording(
          `the base URL "${base}" is no address of a service, such as https://bank.example/api/v1`,
        ),
      );
    expect(await here('replay', SAMPLE, '--base-url', 'http')).toMatchObject({ code: 2 });
  });

  it('is read with null in place of missing members', () => {
    const nothing = { request: { postData: null, headers: null }, response: { content: null } };
    const empty = {
      request: { postData: { text: null } },
      response: { content: { text: null, encoding: null } },
    };
    expect(counted([entry(URL_OF, nothing), entry(URL_OF, empty)])).toEqual([2, 0]);
  });

  it('lists impossible amounts and senders as not prepared', async () => {
    const usdc = (amount: string) =>
      entry(URL_OF, { response: { content: { text: `{"checking":{"usdc":${amount},"sol":0}}` } } });
    const answer = JSON.stringify({ success: true, amount: 1, token: 'USDC', sender: 'abc' });
    const nobody = entry('https://bank.example/agent/account/x402/receive', {
      method: 'POST',
      request: { postData: { text: JSON.stringify({ tx_signature: '5'.repeat(88) }) } },
      response: { content: { text: answer } },
    });
    for (const each of [usdc('1e303'), usdc('1e999'), usdc('2e13'), nobody]) {
      const { calls, unprepared } = await fidelityOf(recordingOfHar(session([each])));
      expect(calls).toBe(1);
      expect(unprepared).toContainEqual({ number: 1, what: 'setBalance' });
    }
  });

  it('does not compare calls that got no response', async () => {
    const lost = entry(URL_OF, { response: { status: 0, content: {} } });
    expect(await fidelityOf(recordingOfHar(session([lost, entry()])))).toMatchObject({ calls: 1, same: 0 });
    expect(await fidelityOf(recordingOfHar(session([lost])))).toMatchObject({ calls: 0, different: [] });
  });
});

describe('comparison of two responses', () => {
  const ok = (body: unknown) => ({ status: 200, body });

  it('ignores differing ids, instants, sentences and rates', () => {
    const service = { id: 'a', at: '2026-01-01T00:00:00Z', apr: 0.1, note: 'This is one.', nothing: null };
    const simulator = {
      id: '<id-1>',
      at: '2027-01-01T00:00:00Z',
      apr: 0.2,
      note: 'And this another.',
      nothing: 5,
    };
    expect(unlike(ok(service), ok(simulator))).toEqual([]);
  });

  it('reports differing statuses, numbers, words, members and types', () => {
    const found = unlike(
      ok({ amount: 1, status: 'active', list: [1], a: 1, more: 1, flag: true }),
      ok({ amount: 2, status: 'overdue', list: [1, 2], a: 'text', extra: 1, flag: false }),
    );
    expect(found.map(({ aspect, path }) => `${aspect} ${path}`)).toEqual([
      'numbers amount',
      'words status',
      'numbers list.length',
      'shape a',
      'shape more',
      'words flag',
      'shape extra',
    ]);
    expect(unlike({ status: 400, body: {} }, ok({ a: 1 })).map(({ aspect }) => aspect)).toEqual(['status']);
  });
});
