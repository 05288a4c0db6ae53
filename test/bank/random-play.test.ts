// @module-tag slow
import { describe, expect, it } from 'vitest';
import { type Outcomes, playAndProve } from '../support/random-play.js';

const SHARES = [
  { engine: 'litesvm', seeds: 8, steps: 500 },
  { engine: 'bankrun', seeds: 6, steps: 500 },
] as const;

describe('random calls of all endpoints keep every invariant, books = chain among them', () => {
  for (const { engine, seeds, steps } of SHARES) {
    it(`on ${engine}: ${seeds} seeds of ${steps} steps`, { timeout: 240_000 }, async () => {
      const met: Outcomes = new Map();
      for (let seed = 1; seed <= seeds; seed += 1) {
        const variants = {
          withdrawals: seed % 4 === 0 ? 'queued' : 'instant',
          dailyWindow: seed % 3 === 0 ? 'rolling-24h' : 'utc-day',
          review: seed % 5 === 0 ? 'auto' : 'manual',
        } as const;
        const outcomes = await playAndProve(
          { engine, seed, variants },
          { seed: `${engine}-${seed}`, steps, checkEvery: 5 },
        );
        for (const [outcome, count] of outcomes) met.set(outcome, (met.get(outcome) ?? 0) + count);
      }
      // Play that never gets there proves nothing.
      for (const goal of [
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
      ]) {
        expect(met.get(goal) ?? 0, goal).toBeGreaterThan(0);
      }
    });
  }
});
