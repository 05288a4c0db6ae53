import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Scenario } from '../../../src/testing/scenario/scenario.js';
import { parseShard, shardOf } from '../../../src/testing/scenario/run.js';
import { scenarioOf } from './played.js';
import { forAll } from '../../support/for-all.js';

const PLAIN = scenarioOf('name: x\nagents: { alice: {} }\nsteps: [alice.account]');

const called = (id: string): Scenario => ({ ...PLAIN, id });

/** Scenarios, and a number of shards. */
const suite = fc.record({
  names: fc.uniqueArray(fc.string({ minLength: 1, maxLength: 6 }), { maxLength: 40 }),
  count: fc.integer({ min: 1, max: 8 }),
});

const shardsOf = (scenarios: readonly Scenario[], count: number) =>
  Array.from({ length: count }, (_, at) => shardOf(scenarios, { index: at + 1, count }).map(({ id }) => id));

describe('shards', () => {
  it('contain every scenario exactly once, in its order, and equally many of those that take equally long', () => {
    forAll(suite, ({ names, count }) => {
      const shards = shardsOf(names.map(called), count);
      expect(shards.flat().toSorted()).toEqual(names.toSorted());
      for (const shard of shards) expect(shard).toEqual(names.filter((name) => shard.includes(name)));
      const sizes = shards.map((shard) => shard.length);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    });
  });

  it('do not depend on the order in which files were found', () => {
    forAll(suite, fc.func(fc.nat()), ({ names, count }, order) => {
      const shuffled = names.toSorted((a, b) => order(a) - order(b)).map(called);
      const sorted = (shards: string[][]) => shards.map((shard) => shard.toSorted());
      expect(sorted(shardsOf(shuffled, count))).toEqual(sorted(shardsOf(names.map(called), count)));
    });
  });

  it('give a long property a shard of its own', () => {
    const property = scenarioOf('name: y\nproperty: { runs: 100, steps: 30 }');
    const short = 'abcdef'.split('');
    expect(shardsOf([...short.map(called), { ...property, id: 'p' }], 2)).toEqual([['p'], short]);
  });
});

describe('shard option', () => {
  it('is an index and a count, and rejected otherwise', () => {
    expect(parseShard('1/1')).toEqual({ index: 1, count: 1 });
    expect(parseShard('2/3')).toEqual({ index: 2, count: 3 });
    for (const wrong of ['', '1', '0/3', '4/3', '-1/3', '1/0', '1/3/5', '1.5/2', 'a/b', ' 1/3', '1/'])
      expect(parseShard(wrong), wrong).toBeNull();
  });
});
