import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { BUGS } from '../../planted/bugs.js';
import { type Hunt, baselineOf, missedSince } from '../../planted/hunts.js';

it('planted bugs each match the source exactly once', () => {
  const astray = BUGS.filter(
    ({ file, from }) => readFileSync(`src/${file}`, 'utf8').split(from).length !== 2,
  );
  expect(astray.map(({ name }) => name)).toEqual([]);
  expect(BUGS.length).toBeGreaterThanOrEqual(30);
});

it('a planted bug that the baseline found and a search missed is named; one that it missed is not', () => {
  const hunt = (seed: number, more: Partial<Hunt> = {}) =>
    ({ bug: 'a bug', seed, verdict: 'found', steps: seed * 10, ...more }) as Hunt;
  const missed = { verdict: 'missed' } as const;
  const baseline = baselineOf([hunt(2), hunt(1), hunt(1, { bug: 'hard', ...missed })]);
  expect(baseline).toEqual({ 'a bug': [10, 20], hard: [null] });
  expect(missedSince(baseline, [hunt(1), hunt(2, missed), hunt(1, { bug: 'hard', ...missed })])).toEqual([
    'a bug, seed 2',
  ]);
});
