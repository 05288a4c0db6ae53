import { describe, expect, it } from 'vitest';
import { missedGoals, campaign } from '../../src/testing/fuzz-library.js';

it('a campaign of 1,200 sequences reaches every goal', async () => {
  const { goals } = await campaign({ runs: 1_200, seed: 1 });
  expect(missedGoals({ goals })).toEqual([]);
});

describe('long fuzz campaigns', () => {
  for (const [engine, steps] of [
    ['litesvm', 1_000_000],
    ['bankrun', 50_000],
  ] as const) {
    it(`find no failure in ${steps.toLocaleString('en-US')} steps on ${engine}`, async () => {
      const summary = await campaign({
        engine,
        runs: Number.MAX_SAFE_INTEGER,
        seed: 2_026,
        onProgress: (progress) => progress.steps < steps,
      });
      expect(summary.found?.failure ?? null).toBeNull();
      expect(summary.steps).toBeGreaterThanOrEqual(steps);
      expect(missedGoals(summary)).toEqual([]);
    });
  }
});
