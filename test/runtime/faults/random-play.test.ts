import { describe, expect, it } from 'vitest';
import { type Outcomes, playAndProve } from '../../support/random-play.js';

describe('random faults create and destroy no money', () => {
  for (const [engine, seeds] of [
    ['litesvm', 6],
    ['bankrun', 6],
  ] as const) {
    it(`on ${engine}: ${seeds} seeds of 500 steps`, { timeout: 120_000 }, async () => {
      const met: Outcomes = new Map();
      for (let seed = 1; seed <= seeds; seed += 1) {
        const withdrawals = seed % 3 === 0 ? 'queued' : 'instant';
        const outcomes = await playAndProve(
          { engine, seed: `faults-${seed}`, variants: { withdrawals } },
          { seed: `faults-${seed}`, steps: 500, checkEvery: 1, hasFaults: true },
        );
        for (const [outcome, count] of outcomes) met.set(outcome, (met.get(outcome) ?? 0) + count);
      }
      for (const goal of ['chain_unavailable', 'injected_fault', 'transaction_not_confirmed', 'lost', 'ok']) {
        const times = [...met].filter(([outcome]) => outcome.endsWith(` ${goal}`));
        expect(times.length, goal).toBeGreaterThan(0);
      }
    });
  }
});
