import { describe, it } from 'vitest';
import { playAndProve } from '../support/random-play.js';

describe('long random play keeps every invariant', () => {
  for (const [engine, seeds] of [
    ['litesvm', 100],
    ['bankrun', 30],
  ] as const) {
    it(`on ${engine}: ${seeds} seeds of 1,000 steps`, async () => {
      for (let seed = 1; seed <= seeds; seed += 1)
        await playAndProve(
          { engine, seed: `soak-${seed}` },
          { seed: `soak-${engine}-${seed}`, steps: 1_000, checkEvery: 10 },
        );
    });
  }
});
