// @module-tag slow
import { describe, expect, it } from 'vitest';
import { type Outcomes, playAndProve } from '../../support/random-play.js';

/** Answers that only faults bring, the rarest of them with one seed in three; and those that came through. */
const GOALS = ['chain_unavailable', 'injected_fault', 'transaction_not_confirmed', 'lost', 'ok'];
const LEAST = 6;
const MOST = 36;

describe('random faults create and destroy no money', () => {
  for (const engine of ['litesvm', 'bankrun'] as const)
    it(
      `on ${engine}: ${LEAST} seeds of 500 steps, and more until each answer has come`,
      { timeout: 120_000 },
      async () => {
        const met: Outcomes = new Map();
        const missing = () =>
          GOALS.filter((goal) => ![...met.keys()].some((key) => key.endsWith(` ${goal}`)));
        for (let seed = 1; seed <= LEAST || (missing().length > 0 && seed <= MOST); seed += 1) {
          const withdrawals = seed % 3 === 0 ? 'queued' : 'instant';
          const outcomes = await playAndProve(
            { engine, seed: `faults-${seed}`, variants: { withdrawals } },
            { seed: `faults-${seed}`, steps: 500, checkEvery: 1, hasFaults: true },
          );
          for (const [outcome, count] of outcomes) met.set(outcome, (met.get(outcome) ?? 0) + count);
        }
        expect(missing()).toEqual([]);
      },
    );
});
