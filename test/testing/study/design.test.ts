import { describe, expect, it } from 'vitest';
import { apportioned, optionOf, pointsOf } from '../../../src/testing/study/design.js';
import type { StudyFile } from '../../../src/testing/study/schema.js';

const study = (more: Partial<StudyFile>) =>
  ({ design: 'grid', points: undefined, seed: 1, sweep: {}, ...more }) as const;
const valuesOf = (given: Parameters<typeof pointsOf>[0]) => pointsOf(given).map(({ values }) => values);

describe('the points of a study', () => {
  it('are all combinations of a grid, the last option first', () => {
    expect(pointsOf(study({}))).toEqual([{ point: 1, values: {} }]);
    const points = valuesOf(study({ sweep: { a: [1, 2], b: ['x', 'y'] } }));
    expect(points.map(({ a, b }) => `${a} ${b}`)).toEqual(['1 x', '1 y', '2 x', '2 y']);
  });

  it('have names for objects and lists, or are called by their JSON', () => {
    const named = { calm: { solUsd: 150 }, crash: { solUsd: 40 }, none: [] };
    const sweep = { a: named, b: [{ x: 1 }, 'y'] };
    expect(valuesOf(study({ sweep })).map(({ a, b }) => `${a} ${b}`)).toEqual(
      ['calm', 'crash', 'none'].flatMap((a) => [`${a} {"x":1}`, `${a} y`]),
    );
    const options = [optionOf(named, 'crash'), optionOf(sweep.b, '{"x":1}'), optionOf(sweep.b, 'y')];
    expect(options).toEqual([{ solUsd: 40 }, { x: 1 }, 'y']);
  });

  it('divide a range evenly, with both ends', () => {
    const range = { from: 0, to: 1, steps: 5, decimals: 6 };
    expect(valuesOf(study({ sweep: { a: range } })).map(({ a }) => a)).toEqual([0, 0.25, 0.5, 0.75, 1]);
  });

  it('of a Latin hypercube use each part of each range once', () => {
    const count = 50;
    const range = { from: 100, to: 200, decimals: 6 };
    const points = valuesOf(
      study({ design: 'latin-hypercube', points: count, sweep: { a: range, b: range, c: ['x', 'y'] } }),
    );
    expect(points).toHaveLength(count);
    for (const name of ['a', 'b']) {
      const parts = points.map((values) => Math.floor(((Number(values[name]) - 100) / 100) * count));
      expect(parts.toSorted((x, y) => x - y)).toEqual(Array.from({ length: count }, (_, at) => at));
    }
    expect(points.filter(({ c }) => c === 'x')).toHaveLength(count / 2);
    expect(points.map(({ a }) => a)).not.toEqual(points.map(({ b }) => b));
  });

  it('of a Latin hypercube are determined by the seed', () => {
    const cube = (seed: number) =>
      pointsOf(
        study({ design: 'latin-hypercube', points: 5, seed, sweep: { a: { from: 0, to: 1, decimals: 6 } } }),
      );
    expect(cube(7)).toEqual(cube(7));
    expect(cube(7)).not.toEqual(cube(8));
  });

  it('are limited in number', () => {
    const list = Array.from({ length: 1_000 }, (_, at) => at);
    expect(() => pointsOf(study({ sweep: { a: list, b: list } }))).toThrow('the sweep has 1000000 points');
  });
});

describe('the agents of a population', () => {
  it('are apportioned by largest remainder and add up', () => {
    expect(apportioned([1, 1, 1], 10)).toEqual([4, 3, 3]);
    expect(apportioned([2, 1], 100)).toEqual([67, 33]);
    expect(apportioned([1, 0], 3)).toEqual([3, 0]);
  });
});
