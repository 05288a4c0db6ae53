import { describe, expect, it } from 'vitest';
import { createSimulator } from '../../src/simulator/simulator.js';
import { type Outcomes, runCampaign } from './campaign.js';

const SHARES = [
  { engine: 'litesvm', seeds: 16, steps: 500 },
  { engine: 'bankrun', seeds: 7, steps: 500 },
] as const;

describe('random calls of all endpoints', () => {
  for (const { engine, seeds, steps } of SHARES) {
    it(`keep invariants on ${engine}: ${seeds} seeds of ${steps} steps`, { timeout: 240_000 }, async () => {
      const met: Outcomes = new Map();
      for (let seed = 1; seed <= seeds; seed += 1) {
        const variants = {
          withdrawals: seed % 4 === 0 ? 'queued' : 'instant',
          dailyWindow: seed % 3 === 0 ? 'rolling-24h' : 'utc-day',
          review: seed % 5 === 0 ? 'auto' : 'manual',
        } as const;
        const outcomes = await runCampaign(
          () => createSimulator({ engine, time: 'frozen', seed, variants }),
          {
            seed: `${engine}-${seed}`,
            steps,
            checkEvery: 5,
          },
        );
        for (const [outcome, count] of outcomes) met.set(outcome, (met.get(outcome) ?? 0) + count);
      }
      // A campaign that never reaches these outcomes proves nothing.
      for (const goal of [
        'POST /agent/account/deposit: ok',
        'POST /agent/account/deposit: transaction_already_recorded',
        'POST /agent/account/withdraw: ok',
        'POST /agent/account/withdraw: daily_limit_exceeded',
        'POST /agent/account/x402/pay: ok',
        'POST /agent/account/x402/receive: ok',
        'POST /agent/account/savings/withdraw: ok',
        'POST /agent/account/savings/withdraw: collateral_locked',
        'POST /agent/account/collateral/borrow: ok',
        'POST /agent/account/collateral/repay: ok',
        'POST /agent/loans: ok',
        'POST /agent/loans/{id}/repay: ok',
      ]) {
        expect(met.get(goal) ?? 0, goal).toBeGreaterThan(0);
      }
    });
  }
});
