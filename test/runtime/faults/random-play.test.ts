// @module-tag slow
import { describe, expect, it } from 'vitest';
import { type Outcomes, playAndProve } from '../../support/random-play.js';
import { ENGINES } from '../../support/world.js';

/** Play that never meets these proves nothing. The first four come from faults only, the rarest of them with few seeds. */
const GOALS = [
  'chain_unavailable',
  'injected_fault',
  'transaction_not_confirmed',
  'lost',
  'deposit ok',
  'deposit transaction_already_recorded',
  'withdraw ok',
  'withdraw daily_limit_exceeded',
  'x402Pay ok',
  'x402Receive ok',
  'savingsWithdraw ok',
  'savingsWithdraw collateral_locked',
  'collateralBorrow ok',
  'collateralRepay ok',
  'loanApply ok',
  'loanRepay ok',
  'loanPay ok',
  'review.policy ok',
  'revert ok',
];
const LEAST = 6;
const MOST = 36;

describe('random calls of all endpoints among random faults create and destroy no money', () => {
  it.each(ENGINES)(
    `on %s: ${LEAST} seeds of 250 steps, and more until each outcome has come`,
    { timeout: 120_000 },
    async (engine) => {
      const met: Outcomes = new Map();
      const missing = () =>
        GOALS.filter((goal) => ![...met.keys()].some((key) => ` ${key}`.endsWith(` ${goal}`)));
      for (let seed = 1; seed <= LEAST || (missing().length > 0 && seed <= MOST); seed += 1) {
        const variants = {
          withdrawals: seed % 3 === 0 ? 'queued' : 'instant',
          dailyWindow: seed % 2 === 0 ? 'rolling-24h' : 'utc-day',
          review: seed % 5 === 0 ? 'auto' : 'manual',
        } as const;
        const outcomes = await playAndProve(
          { engine, seed: `faults-${seed}`, variants },
          { seed: `faults-${seed}`, steps: 250, checkEvery: 1, hasFaults: true },
        );
        for (const [outcome, count] of outcomes) met.set(outcome, (met.get(outcome) ?? 0) + count);
      }
      expect(missing()).toEqual([]);
    },
  );
});
