import { expect, it } from 'vitest';
import { missedGoals, campaign } from '../../src/testing/fuzz-library.js';

it('a campaign of 1,200 sequences reaches every goal', async () => {
  const { goals } = await campaign({ runs: 1_200, seed: 1 });
  expect(missedGoals({ goals })).toEqual([]);
});
