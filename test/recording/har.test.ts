import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { UnreadableRecording } from '../../src/recording/recording-error.js';
import { fidelityOf, unlike } from '../../src/recording/har/fidelity.js';
import { recordingOfHar } from '../../src/recording/har/har-recording.js';
import { readHar } from '../../src/recording/har/read-har.js';
import { here } from '../cli/here.js';

const SAMPLE = fileURLToPath(new URL('../../fixtures/har/invented-session.har', import.meta.url));
const text = readFileSync(SAMPLE, 'utf8');

describe('a HAR file of a deployed service', () => {
  it('is read as the calls of operations, in the order of time, wherever the service answers', () => {
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

  it('becomes a recording without its tokens and signatures', () => {
    const lines = JSON.stringify(recordingOfHar(readHar(text, SAMPLE)).lines);
    for (const [, value] of text.matchAll(/Bearer ([\w.-]+)/g)) expect(lines).not.toContain(value);
    expect(lines).not.toContain('Nonce');
    expect(lines).not.toContain('2nBhEBYYvfaAe16U');
  });

  it('is played with what its wallets had, and told apart by endpoint', async () => {
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

  it('gives a report by command, and exit code 1 when the two differ', async () => {
    const { code, stdout, stderr } = await here('replay', SAMPLE, '--variant', 'overview=A');
    expect(stderr).toBe('');
    expect(code).toBe(1);
    expect(stdout).toContain('The simulator beside https://bank.invented.example/api/v1');
    expect(stdout).toMatch(/endpoint +calls +same +status +code +shape +numbers +words\n/);
    expect(stdout).toMatch(/withdraw +1 +- +- +1 +- +- +-\n/);
    expect(stdout).toContain(
      'entry 9: account: shape: tier: the service has "string", the simulator nothing',
    );
    expect(stdout).toContain('8 of 10 calls are alike.');
    expect(JSON.parse((await here('replay', SAMPLE, '--json')).stdout)).toMatchObject({ calls: 10 });
    expect(await here('replay', SAMPLE, '--base-url', 'https://elsewhere.example')).toMatchObject({
      code: 2,
    });
  });

  it('that is none is refused with what is wrong', () => {
    expect(() => readHar('{"log":{"entries":[{}]}}', 'a.har')).toThrow(UnreadableRecording);
    expect(() => readHar('{"log":{"entries":[]}}', 'a.har')).toThrow(/no call of the service/);
  });
});

describe('two answers are alike', () => {
  const ok = (body: unknown) => ({ status: 200, body });

  it('whatever their ids, instants, sentences and rates', () => {
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

  it('unless status, numbers, words, members or types differ', () => {
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
