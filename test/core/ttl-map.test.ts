import { expect, it } from 'vitest';
import { getLive, nothing, setWithTtl } from '../../src/core/ttl-map.js';

it('a value lives until its expiry, also when it was set twice', () => {
  let memory = setWithTtl(nothing<string>(), 'a', { value: 'first', expiresMs: 10 }, 0);
  memory = setWithTtl(memory, 'a', { value: 'second', expiresMs: 12 }, 2);
  expect([9, 11, 12].map((nowMs) => getLive(memory, 'a', nowMs))).toEqual(['second', 'second', undefined]);
  memory = setWithTtl(memory, 'b', { value: 'other', expiresMs: 22 }, 12);
  expect([...memory.values.keys()]).toEqual(['b']);
  expect([...memory.order]).toEqual(['b']);
});

it('a value that is set anew does not keep those that expire before it', () => {
  let memory = setWithTtl(nothing<string>(), 'again', { value: 'first', expiresMs: 10 }, 0);
  memory = setWithTtl(memory, 'other', { value: 'other', expiresMs: 11 }, 1);
  memory = setWithTtl(memory, 'again', { value: 'second', expiresMs: 12 }, 2);
  memory = setWithTtl(memory, 'late', { value: 'late', expiresMs: 21 }, 11);
  expect([...memory.order]).toEqual(['again', 'late']);
  expect([...memory.values.keys()].toSorted()).toEqual(['again', 'late']);
});
