import { describe, expect, it } from 'vitest';
import type { FuzzTarget, Step } from '../../../src/testing/fuzz-library.js';
import { scenarioOf } from '../../../src/testing/fuzz/failure/as-scenario.js';
import { failureOf } from '../../../src/testing/fuzz/campaign/run-campaign.js';
import { inProcessFuzz } from '../../../src/testing/drivers/in-process-fuzz.js';
import { IN_PROCESS } from '../../../src/testing/drivers/in-process.js';
import type { Target } from '../../../src/testing/scenario/target.js';
import { JUDGES, afterOpening, exported, failureWith, playedTroubles, stepsOf } from './export-support.js';

/** Changes the JSON text of answers. */
type Lie = (text: string) => string;

/** The fuzzer's world with answers that are not right. */
function lyingFuzzed(lie: Lie): FuzzTarget {
  return {
    madeWallet: inProcessFuzz.madeWallet,
    open: async (options) => {
      const world = await inProcessFuzz.open(options);
      const call: typeof world.call = async (asked, mishap) => {
        const answer = await world.call(asked, mishap);
        return answer === null ? null : (JSON.parse(lie(JSON.stringify(answer))) as typeof answer);
      };
      return new Proxy(world, {
        get: (target, name) => {
          if (name === 'call') return call;
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === 'function' ? (value.bind(target) as unknown) : value;
        },
      });
    },
  };
}

/** A scenario's world with the same. */
function lyingInProcess(lie: Lie): Target {
  return {
    ...IN_PROCESS,
    open: async (options) => {
      const world = await IN_PROCESS.open(options);
      const { fetch } = world;
      Object.assign(world, {
        fetch: async (url: string, init?: RequestInit) => {
          const answer = await fetch(url, init);
          const { status, body } = JSON.parse(
            lie(JSON.stringify({ status: answer.status, body: await answer.json() })),
          ) as { status: number; body: unknown };
          return Response.json(body, { status });
        },
      });
      return world;
    },
  };
}

/** A bug of the service, by which answers are wrong, with the steps that show it. */
const BUGS: readonly (readonly [string, Lie, readonly Omit<Step, 'id'>[], object])[] = [
  [
    'a number',
    (text) => text.replace('"checking":{"usdc":3000', '"checking":{"usdc":3001'),
    [{ do: 'account', by: 'ann', with: {} }],
    { 'checking.usdc': 3000 },
  ],
  [
    'a member that is missing',
    (text) => text.replace('"limit":', '"limits":'),
    [{ do: 'account', by: 'ann', with: {} }],
    { 'collateral.limit': 1400 },
  ],
  [
    'a member too many',
    (text) => text.replace('"limit":', '"more":1,"limit":'),
    [{ do: 'account', by: 'ann', with: {} }],
    { 'collateral.more': { absent: true } },
  ],
  [
    'a wallet',
    (text) => text.replace(/"wallet":"[^"]+","checking"/, '"wallet":"somebody","checking"'),
    [{ do: 'account', by: 'ann', with: {} }],
    { wallet: '${ann}' },
  ],
  [
    'a limit that is not kept',
    (text) => text.replace(/^.*daily_limit_exceeded.*$/, '{"status":200,"body":{}}'),
    [{ do: 'withdraw', by: 'ann', with: { body: { amount: 1000.5, token: 'USDC' } } }],
    { status: 403, code: 'daily_limit_exceeded' },
  ],
  [
    'a refusal without reason',
    (text) =>
      text.includes('"withdrawal":')
        ? '{"status":400,"body":{"error":"No.","code":"insufficient_balance","details":{},"requestId":"r"}}'
        : text,
    [{ do: 'withdraw', by: 'ann', with: { body: { amount: 1000, token: 'USDC' } } }],
    { status: 200 },
  ],
  [
    'details of a refusal',
    (text) => text.replace('"available":3000', '"available":2999'),
    [{ do: 'withdraw', by: 'ann', with: { body: { amount: 4000, token: 'USDC' } } }],
    { code: 'insufficient_balance', 'details.available': 3000 },
  ],
];

describe('what a scenario expects last', () => {
  it.each(BUGS)(
    'fails while %s is wrong, and passes when it is right',
    async (_what, lie, more, expected) => {
      const steps = afterOpening(...more);
      const base = failureWith(steps);
      const world = base.world as Parameters<typeof failureOf>[1]['world'];
      const failure = await failureOf(steps, {
        target: lyingFuzzed(lie),
        world,
        agents: 3,
        checkSuite: JUDGES,
      });
      expect(failure?.at).toBe(steps.length - 1);
      const file = { ...base, failure: failure ?? base.failure };
      const text = await scenarioOf(file, { target: lyingFuzzed(lie), checkSuite: JUDGES });
      expect(stepsOf(text).at(-1)).toMatchObject({ expect: expected });
      expect(await playedTroubles(text, { target: lyingInProcess(lie) })).not.toEqual([]);
      expect(await playedTroubles(text)).toEqual([]);
    },
  );

  const withdraws = afterOpening({
    do: 'withdraw',
    by: 'ann',
    with: { body: { amount: 1, token: 'USDC' } },
  });
  const sentence = (text: string) => failureWith(withdraws, { failure: { at: 10, kind: 'withdraw', text } });

  it('is what a wallet should hold on chain', async () => {
    const text = (held: string) =>
      `sent on chain: the wallet of ann should hold ${held} base units of USDC and holds 7`;
    const right = await exported(sentence(text('95001000000')));
    expect(stepsOf(right).at(-1)).toMatchObject({ expect: { chain: { ann: { usdc: 95_001 } } } });
    expect(await playedTroubles(right)).toEqual([]);
    const wrong = await exported(sentence(text('95001000001')));
    expect(await playedTroubles(wrong)).not.toEqual([]);
  });

  it('is what the operator’s desk should do', async () => {
    const steps = afterOpening({ do: 'desk', with: { what: 'deny', loan: '${none.loan}' } });
    const text = (should: string, does: string) => {
      const told = `deny of loan_that_is_not should be ${should} and is ${does}`;
      return exported(failureWith(steps, { failure: { at: 10, kind: 'desk', text: told } }));
    };
    expect(await playedTroubles(await text('refused', 'done'))).toEqual([]);
    expect(await playedTroubles(await text('done', 'refused'))).not.toEqual([]);
  });

  it('is an answer that should be lost', async () => {
    const text = await exported(sentence('the answer should have been lost'));
    expect(stepsOf(text).at(-1)).toMatchObject({ expect: { lost: true } });
    expect(await playedTroubles(text)).not.toEqual([]);
  });

  it('is nothing but the outcome for rules that have no words here, and says so', async () => {
    const text = await exported(sentence('journal.zero: the sum of USDC is 1'));
    expect(text).toContain('invariants: always');
    expect(text).toContain('# - the last step (s11, withdraw): nothing is expected but its outcome');
    expect(await playedTroubles(text)).toEqual([]);
  });

  it('does not expect ids that only the fuzzer’s world knows', async () => {
    const id = '0a7d2c9e-1111-4222-8333-444455556666';
    const text = await exported(sentence(`withdrawal.id: expected "${id}", got "1${id}"`));
    expect(text).toContain('# - the last step (s11, withdraw)');
    expect(stepsOf(text).at(-1)).not.toHaveProperty('expect');
  });
});
