import { describe, expect, it } from 'vitest';
import { MISHAPS, KILLED_AT, type Mishap } from '../../../src/testing/fuzz/world.js';
import { campaign, replay, type Step } from '../../../src/testing/fuzz-library.js';
import { failureOf } from '../../../src/testing/fuzz/campaign/refine.js';
import { failureByHand } from './by-hand.js';
import { CHECK_SUITE } from './export-support.js';
import { fuzzedWith, lyingFuzzed } from './lying.js';

const pay = (amount: number) => ({
  do: 'x402Pay',
  by: 'ann',
  with: { body: { recipient: '${ben}', amount, token: 'USDC' } },
});
const FUNDED: readonly Omit<Step, 'id'>[] = [
  { do: 'signIn', by: 'ann', with: {} },
  { do: 'send', by: 'ann', with: { transfers: [{ to: '${treasury}', token: 'USDC', amount: 1_500 }] } },
  {
    do: 'deposit',
    by: 'ann',
    with: { body: { amount: 1_500, token: 'USDC', tx_signature: '${s2.signature}' } },
  },
];
const LOOK: readonly Omit<Step, 'id'>[] = [
  { do: 'account', by: 'ann', with: {} },
  { do: 'transactions', by: 'ann', with: {} },
];

function numbered(steps: readonly Omit<Step, 'id'>[]): Step[] {
  return steps.map((step, at) => ({ ...step, id: at + 1 }));
}

/** A payment or withdrawal under a key to which something happens, which is repeated at once, and after the fault is over. */
function troubled(call: Omit<Step, 'id'>, mishap: Mishap): Step[] {
  const keyed = { ...call, with: { ...call.with, key: 'k' } };
  const other = { ...pay(3), with: { ...pay(3).with, key: 'k' } };
  return numbered([
    ...FUNDED,
    { ...keyed, with: { ...keyed.with, mishap } },
    ...LOOK,
    keyed,
    other,
    ...LOOK,
    { do: 'advance', with: { ms: 20_000 } },
    ...LOOK,
    keyed,
    { do: 'advance', with: { ms: 299_000 } },
    ...LOOK,
    keyed,
    ...LOOK,
  ]);
}

const CALLS = {
  payment: pay(2),
  withdrawal: { do: 'withdraw', by: 'ann', with: { body: { amount: 2, token: 'USDC' } } },
};

describe.each(Object.entries(CALLS))('a %s whose call meets a fault', (_name, call) => {
  it.each(Object.keys(MISHAPS) as Mishap[])(
    'ends as the model says, also when it is made again: %s',
    async (mishap) => {
      expect(await replay(failureByHand(troubled(call, mishap)))).toEqual({
        verdict: 'FIXED',
        failure: null,
      });
    },
  );

  it.each(KILLED_AT)('is paid or given back when its process is killed: %s', async (at) => {
    const keyed = { ...call, with: { ...call.with, key: 'k' } };
    const kill = { do: 'kill', with: { call: keyed, at } } as unknown as Omit<Step, 'id'>;
    const other = { ...pay(3), with: { ...pay(3).with, key: 'k' } };
    const again = { ...kill, with: { ...kill.with, again: true } };
    const steps = numbered([...FUNDED, kill, ...LOOK, other, keyed, keyed, ...LOOK]);
    expect(await replay(failureByHand(steps))).toEqual({ verdict: 'FIXED', failure: null });
    const repeated = numbered([...FUNDED, again, ...LOOK, keyed, ...LOOK]);
    expect(await replay(failureByHand(repeated))).toEqual({ verdict: 'FIXED', failure: null });
  });
});

describe('a deposit', () => {
  it.each(['chain-unavailable', 'late-confirmation', 'no-confirmation'] as const)(
    'is refused while its transaction cannot be looked up, and counted later: %s',
    async (mishap) => {
      const send = {
        do: 'send',
        by: 'ann',
        with: { transfers: [{ to: '${treasury}', token: 'USDC', amount: 5 }] },
      };
      const body = { amount: 5, token: 'USDC', tx_signature: '${s4.signature}' };
      const deposit = { do: 'deposit', by: 'ann', with: { body } };
      const steps = numbered([
        ...FUNDED,
        send,
        { ...deposit, with: { body, mishap } },
        deposit,
        { do: 'advance', with: { ms: 20_000 } },
        deposit,
        ...LOOK,
      ]);
      expect(await replay(failureByHand(steps))).toEqual({ verdict: 'FIXED', failure: null });
    },
  );
});

describe('a world that forgets what was done before its process ended', () => {
  it('is a counterexample', async () => {
    const target = fuzzedWith(() => ({ kill: () => Promise.resolve() }));
    const call = { do: 'savingsDeposit', by: 'ann', with: { body: { amount: 7, token: 'USDC' } } };
    const kill = { do: 'kill', with: { call, at: 'answered' } };
    const world = { engine: 'litesvm', transport: 'direct', seed: 'fuzz', variants: {} } as const;
    const found = await failureOf(numbered([...FUNDED, kill, ...LOOK]), {
      target,
      world,
      agents: 2,
      checkSuite: CHECK_SUITE,
    });
    expect(found?.kind).toBe('account: checking.usdc');
  });
});

it('the answer of a fault that does not name it is a counterexample', async () => {
  const target = lyingFuzzed((text) => text.replace(/"faults":\[[^\]]*\]/, '"faults":[]'));
  const world = { engine: 'litesvm', transport: 'direct', seed: 'fuzz', variants: {} } as const;
  const look = { do: 'account', by: 'ann', with: { mishap: 'other-response' } };
  const found = await failureOf(numbered([...FUNDED, look]), {
    target,
    world,
    agents: 2,
    checkSuite: CHECK_SUITE,
  });
  expect(found?.kind).toMatch(/^account: /);
});

describe('a campaign', () => {
  it(
    'finds nothing in what kills, faults, policies and moved due dates leave behind',
    { tags: ['slow'], timeout: 60_000 },
    async () => {
      const weights = { kill: 1, policy: 4, desk: 12, loanApply: 12, loanRepay: 8, profile: 12 };
      const { found, outcomes } = await campaign({ runs: 60, seed: 51, weights });
      expect(found?.failure ?? null).toBeNull();
      for (const what of ['kill ok', 'policy ok', 'desk ok']) expect(outcomes[what]).toBeGreaterThan(0);
    },
  );
});
