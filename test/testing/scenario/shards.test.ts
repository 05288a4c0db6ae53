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

function split({ names, count }: { names: readonly string[]; count: number }) {
  const scenarios = names.map(called);
  const shards = Array.from({ length: count }, (_, at) => shardOf(scenarios, { index: at + 1, count }));
  return { scenarios, shards };
}

const ids = (scenarios: readonly Scenario[]) => scenarios.map(({ id }) => id);

describe('shards', () => {
  it('contain every scenario exactly once, in its order', () => {
    forAll(suite, (given) => {
      const { scenarios, shards } = split(given);
      expect(ids(shards.flat()).toSorted()).toEqual(ids(scenarios).toSorted());
      for (const shard of shards) {
        const places = shard.map((each) => scenarios.indexOf(each));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
      }
    });
  });

  it('do not depend on the order in which files were found', () => {
    forAll(suite, fc.func(fc.nat()), (given, order) => {
      const { scenarios, shards } = split(given);
      const shuffled = scenarios.toSorted((a, b) => order(a.id) - order(b.id));
      for (const [at, shard] of shards.entries()) {
        const there = shardOf(shuffled, { index: at + 1, count: given.count });
        expect(ids(there).toSorted()).toEqual(ids(shard).toSorted());
      }
    });
  });

  it('differ by no more than one of scenarios that take equally long', () => {
    forAll(suite, (given) => {
      const sizes = split(given).shards.map((shard) => shard.length);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    });
  });

  it('give a long property a shard of its own', () => {
    const property = scenarioOf('name: y\nproperty: { runs: 100, steps: 30 }');
    const short = 'abcdef'.split('');
    const scenarios = short.map(called);
    const shards = [1, 2].map((index) =>
      ids(shardOf([...scenarios, { ...property, id: 'p' }], { index, count: 2 })),
    );
    expect(shards).toEqual([['p'], short]);
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
