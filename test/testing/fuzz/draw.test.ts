import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/testing/fuzz/commands/commands.js';
import { commandsOf, propertyOf } from '../../../src/testing/fuzz/campaign/properties.js';
import { composed, weighted } from '../../../src/testing/fuzz/draw.js';

/** How often each value is drawn. */
function drawn<T>(arbitrary: fc.Arbitrary<T>, times: number): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of fc.sample(arbitrary, { numRuns: times, seed: 1 }))
    counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

describe('a weighted draw', () => {
  it.each([
    [2, 1, 1],
    [3, 0.5, 0.1, 0.4],
    [0.03, 0.01],
    [5, 0],
  ])('takes each as often as its weight says: %f, %f', (...weights) => {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const counts = drawn(weighted(weights.map((weight, at) => [at, weight])), 20_000);
    for (const [at, weight] of weights.entries())
      expect(Math.abs((counts.get(at) ?? 0) - (20_000 * weight) / total)).toBeLessThan(300);
  });

  it('leaves out no command of a campaign', () => {
    const commands = commandsOf(COMMANDS, propertyOf('everything'), { only: [], weights: {} });
    const counts = drawn(weighted(commands.map(({ name, weight }) => [name, weight])), 100_000);
    expect(COMMANDS.filter(({ name }) => !counts.has(name))).toEqual([]);
  });

  it('refuses weights that are all 0', () => {
    expect(() => weighted([['nothing', 0]])).toThrow(RangeError);
  });
});

it('a composed arbitrary draws one value after another, and the same for a seed', () => {
  const pair = composed((draw) => [draw(fc.noBias(fc.nat())), draw(fc.noBias(fc.nat()))]);
  const two = fc.sample(fc.tuple(pair, pair), { numRuns: 50, seed: 2 });
  expect(two).toEqual(fc.sample(fc.tuple(pair, pair), { numRuns: 50, seed: 2 }));
  expect(two.every(([[a, b], other]) => a !== b && JSON.stringify([a, b]) !== JSON.stringify(other))).toBe(
    true,
  );
});
