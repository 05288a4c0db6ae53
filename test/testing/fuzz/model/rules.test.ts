import { describe, expect, it, onTestFinished } from 'vitest';
import type { FuzzTarget } from '../../../../src/testing/fuzz-library.js';
import { inProcessFuzz } from '../../../../src/testing/drivers/in-process-fuzz.js';
import { failureIn } from '../by-hand.js';
import { answeringFuzzed } from '../lying.js';
import { FUNDED, type Unnumbered, advance, ann, call, numbered, opened, operator } from '../steps.js';

// Campaigns compare the other rules of the model with the bank, and the scenarios state what the bank does.

const HOUR_MS = 3_600_000;

describe('model of the daily limit', () => {
  it.each([
    ['utc-day', 12 * HOUR_MS],
    ['rolling-24h', 24 * HOUR_MS],
  ] as const)(
    'frees the allowance of noon in the same millisecond as the bank: %s',
    async (dailyWindow, freeMs) => {
      const cent = call('withdraw', { amount: 0.01, token: 'USDC' });
      const { runner, play } = await opened({ variants: { dailyWindow } });
      onTestFinished(() => runner.world.close());
      const steps = [
        ...FUNDED,
        call('withdraw', { amount: 1_000, token: 'USDC' }),
        advance(freeMs - 1),
        cent,
        advance(1),
        ann('signIn'),
        cent,
      ];
      expect(await play(numbered(steps))).toBeNull();
      expect(runner.accountState('ann').withdrawnMicroUsd).toBe(10_000n);
    },
  );
});

it('the model refuses what is wrong in several ways in the order of the bank', async () => {
  const withdraw = (amount: number, more = {}) => call('withdraw', { amount, token: 'USDC', ...more });
  const steps = [
    ...FUNDED,
    operator('oracle', { state: 'out' }),
    withdraw(-1, { token: 'EUR', destination: 'x' }),
    withdraw(-1, { destination: 'x' }),
    withdraw(-1),
    withdraw(2_000),
    withdraw(1_200),
    operator('oracle', { state: 'fresh' }),
    withdraw(1_200),
    call('withdraw', { amount: 1, token: 'USDC' }, { mishap: 'chain-unavailable' }),
  ];
  expect(await failureIn(inProcessFuzz, numbered(steps))).toBeNull();
});

/** A world whose second answer about a deposit to savings has an id that is made from the first one's. */
function withSecondId(idOf: (first: string) => string): FuzzTarget {
  return answeringFuzzed(() => {
    let first: string | null = null;
    return (answer, { operation }) => {
      if (operation !== 'savingsDeposit') return answer;
      const body = answer.body as { savings_deposit: { id: string } };
      const { id } = body.savings_deposit;
      const told = first === null ? id : idOf(first);
      first ??= id;
      return { ...answer, body: { ...body, savings_deposit: { ...body.savings_deposit, id: told } } };
    };
  });
}

const saving = (more: Unnumbered['with'] = {}) => call('savingsDeposit', { amount: 10, token: 'USDC' }, more);
const keyed = saving({ key: 'k' });
const another = (id: string) => id.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));

describe('model of ids', () => {
  it.each<readonly [string, readonly Unnumbered[], (first: string) => string]>([
    ['a call that is repeated under its key', [keyed, keyed], another],
    [
      'a call whose first answer was lost',
      [saving({ key: 'k', mishap: 'lose-response' }), keyed, keyed],
      another,
    ],
    ['a new call', [saving(), saving()], (first) => first],
  ])('rejects a wrong id of %s', async (_what, steps, idOf) => {
    const failure = await failureIn(withSecondId(idOf), numbered([...FUNDED, ...steps]));
    expect(failure?.kind).toBe('savingsDeposit: savings_deposit.id');
    expect(failure?.text).toMatch(/savings_deposit\.id: expected .+, got /);
    expect(failure?.at).toBe(FUNDED.length + steps.length - 1);
  });
});
