import { expect, it } from 'vitest';
import { type Hunt, baselineOf, missedSince, quantiles, summaryText, summed } from '../../planted/hunts.js';

const hunt = (seed: number, more: Partial<Hunt> = {}): Hunt => ({
  bug: 'a bug',
  seed,
  verdict: 'found',
  runs: 1,
  steps: seed * 10,
  seconds: seed,
  shortest: 3,
  hasScenario: true,
  wrong: [],
  text: '',
  ...more,
});

it('half and nine tenths of all seeds found a bug within its quantiles', () => {
  const ten = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1];
  expect(quantiles(ten, 10)).toEqual({ median: 5, p90: 9 });
  expect(quantiles([7], 1)).toEqual({ median: 7, p90: 7 });
  expect(quantiles([], 3)).toEqual({ median: null, p90: null });
});

it('a seed that misses a bug would take for ever', () => {
  const hunts = [hunt(2), hunt(1), hunt(3, { verdict: 'missed' })];
  const [bug] = summed(hunts);
  expect(bug).toMatchObject({ bug: 'a bug', seeds: 3, found: 2, steps: { median: 20, p90: null } });
  expect(summaryText(summed(hunts), 3)).toBe(
    'found; median and 90th percentile of steps and of time\n' +
      '  2 of 3        20    never steps     2.0  never s  a bug\n' +
      '0 of 1 found with every seed\n',
  );
});

it('a bug that the baseline found and a search missed is named; one that it missed is not', () => {
  const missed = { verdict: 'missed' } as const;
  const baseline = baselineOf([hunt(2), hunt(1), hunt(1, { bug: 'hard', ...missed })]);
  expect(baseline).toEqual({ 'a bug': [10, 20], hard: [null] });
  expect(missedSince(baseline, [hunt(1), hunt(2, missed), hunt(1, { bug: 'hard', ...missed })])).toEqual([
    'a bug, seed 2',
  ]);
});
