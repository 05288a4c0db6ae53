import { expect, it } from 'vitest';
import { Cell, CompositeState } from '../../src/core/snapshot.js';

interface Pair {
  readonly a: number;
  readonly b: string;
}

it('the state of several parts is taken and restored as one value', () => {
  const parts = { a: new Cell(1), b: new Cell('one') };
  const state = new CompositeState<Pair>(parts);
  const taken = state.snapshot();
  parts.a.value = 2;
  parts.b.value = 'two';
  expect(state.snapshot()).toEqual({ a: 2, b: 'two' });
  state.restore(taken);
  expect([parts.a.value, parts.b.value]).toEqual([1, 'one']);
  expect(taken).toEqual({ a: 1, b: 'one' });
});

it('a member without a part does not compile', () => {
  // @ts-expect-error -- b is missing
  expect(new CompositeState<Pair>({ a: new Cell(1) }).snapshot()).toEqual({ a: 1 });
});
