import { describe, expect, it } from 'vitest';
import { inProcessFuzz } from '../../../src/testing/drivers/in-process-fuzz.js';
import { MISHAPS, KILLED_AT, type Mishap } from '../../../src/testing/fuzz/world.js';
import { type FuzzTarget, campaign, replay } from '../../../src/testing/fuzz-library.js';
import { WORLD, failureByHand, failureIn } from './by-hand.js';
import { answeringFuzzed, fuzzedWith } from './lying.js';
import {
  FUNDED,
  LOOK,
  type Unnumbered,
  advance,
  ann,
  by,
  call,
  deposit,
  numbered,
  operator,
  send,
} from './steps.js';

const pay = (amount: number, more = {}) =>
  call('x402Pay', { recipient: '${ben}', amount, token: 'USDC' }, more);
const HELD = { verdict: 'FIXED', failure: null };

/** How steps after `FUNDED` break a rule in a world of the target. */
const failing = (target: FuzzTarget, steps: readonly Unnumbered[]) =>
  failureIn(target, numbered([...FUNDED, ...steps]));

/** What becomes of steps after which the model agrees. */
const replayed = (steps: readonly Unnumbered[]) => replay(failureByHand(numbered(steps)));

/** A payment or withdrawal under a key to which something happens, which is repeated at once, and after the fault is over. */
function troubled(made: Unnumbered, mishap: Mishap): Unnumbered[] {
  const keyed = { ...made, with: { ...made.with, key: 'k' } };
  return [
    ...FUNDED,
    { ...keyed, with: { ...keyed.with, mishap } },
    ...LOOK,
    keyed,
    pay(3, { key: 'k' }),
    ...LOOK,
    advance(20_000),
    ...LOOK,
    keyed,
    advance(299_000),
    ...LOOK,
    keyed,
    ...LOOK,
  ];
}

const CALLS = {
  payment: pay(2),
  withdrawal: call('withdraw', { amount: 2, token: 'USDC' }),
};

describe.each(Object.entries(CALLS))('a %s whose call meets a fault', (_name, made) => {
  it.each(Object.keys(MISHAPS) as Mishap[])(
    'ends as the model says, also when it is made again: %s',
    async (mishap) => {
      expect(await replayed(troubled(made, mishap))).toEqual(HELD);
    },
  );

  it.each(KILLED_AT)('is paid or given back when its process is killed: %s', async (at) => {
    const keyed = { ...made, with: { ...made.with, key: 'k' } };
    const killed = (more = {}) => operator('kill', { call: keyed, at, ...more });
    const steps = [...FUNDED, killed(), ...LOOK, pay(3, { key: 'k' }), keyed, keyed, ...LOOK];
    expect(await replayed(steps)).toEqual(HELD);
    const repeated = [...FUNDED, killed({ again: true }), ...LOOK, keyed, ...LOOK];
    expect(await replayed(repeated)).toEqual(HELD);
  });
});

describe('a deposit', () => {
  const made = deposit('USDC', 5, 4);
  const troubledBy = (mishap: Mishap) => ({ ...made, with: { ...made.with, mishap } });

  it.each(['chain-unavailable', 'late-confirmation', 'no-confirmation'] as const)(
    'is refused while its transaction cannot be looked up, and counted later: %s',
    async (mishap) => {
      const later = [troubledBy(mishap), made, advance(20_000), made, ...LOOK];
      expect(await replayed([...FUNDED, send('USDC', 5), ...later])).toEqual(HELD);
    },
  );

  it('is counted once its delay has passed, although the fault is there again', async () => {
    const late = troubledBy('late-confirmation');
    const steps = [...FUNDED, send('USDC', 5), late, advance(20_000), late, ...LOOK];
    expect(await replayed(steps)).toEqual(HELD);
  });
});

it('the amount of a lost withdrawal returns before a loan defaults in the same jump', async () => {
  const steps = numbered([
    ...FUNDED,
    call('loanApply', { amount: 300, purpose: 'task', duration: 1 }),
    operator('review.approve', { loan: '${s4.loan}' }),
    call('savingsDeposit', { amount: 1_000, token: 'USDC' }),
    call('withdraw', { amount: 790, token: 'USDC' }, { mishap: 'lost-transaction' }),
    advance('40d'),
    ann('signIn'),
    ...LOOK,
    ann('loans'),
  ]);
  const world = { ...WORLD, limits: { setOffShare: 1 } };
  expect(await failureIn(inProcessFuzz, steps, { world })).toBeNull();
});

describe('a payment whose outcome is unknown', () => {
  const claimed = { tx_signature: '${s5.signature}' };
  const receive = by('ben', 'x402Receive', { body: claimed });
  const asDeposit = call('deposit', { amount: 2, token: 'USDC', ...claimed });
  const unknown = (mishap: Mishap) => [by('ben', 'signIn'), pay(2, { mishap })];

  it.each([
    'late-transaction',
    'stale-transaction',
    'lost-transaction',
    'late-confirmation',
    'no-confirmation',
  ] as const)('is received only once the bank knows that it was made: %s', async (mishap) => {
    const both = [asDeposit, receive];
    const later = [advance(20_000), ...both, advance(299_000), ...both, ...LOOK];
    expect(await replayed([...FUNDED, ...unknown(mishap), ...both, ...later])).toEqual(HELD);
  });

  it('is a counterexample if it is received before', async () => {
    const taking = answeringFuzzed(
      () => (answer) =>
        JSON.stringify(answer.body).includes('transaction_not_confirmed')
          ? { status: 200, body: {} }
          : answer,
    );
    const failure = await failing(taking, [...unknown('lost-transaction'), receive]);
    expect(failure?.kind).toMatch(/^x402Receive: status: expected 400/);
  });
});

it('a world is found that forgets what was done before its process ended', async () => {
  const target = fuzzedWith(() => ({ kill: () => Promise.resolve() }));
  const saving = call('savingsDeposit', { amount: 7, token: 'USDC' });
  const kill = operator('kill', { call: saving, at: 'answered' });
  expect((await failing(target, [kill, ...LOOK]))?.kind).toBe('account: checking.usdc');
});

it(
  'a campaign finds nothing in what kills, faults, policies and moved due dates leave behind',
  { tags: ['slow'], timeout: 60_000 },
  async () => {
    const weights = { kill: 1, 'review.policy': 4, desk: 12, loanApply: 12, loanRepay: 8, profile: 12 };
    const { found, outcomes } = await campaign({ runs: 60, seed: 51, weights });
    expect(found?.failure ?? null).toBeNull();
    for (const what of ['kill ok', 'review.policy ok', 'loan.cure ok'])
      expect(outcomes[what]).toBeGreaterThan(0);
  },
);
