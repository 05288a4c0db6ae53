import { expect, it } from 'vitest';
import type { Memory } from '../../../../src/testing/fuzz/model/compare.js';
import { oneOf } from '../../../../src/testing/fuzz/model/checks.js';

it('one of two values is the second only if the first is another', () => {
  let seconds = 0;
  const see = (values: [number, number], actual: number) =>
    oneOf(values, () => (seconds += 1)).see(actual, {} as Memory);
  expect([see([1, 2], 1), see([2, 2], 2), seconds]).toEqual([null, null, 0]);
  expect([see([1, 2], 2), seconds]).toEqual([null, 1]);
  expect(see([1, 2], 3)).toMatchObject({ words: '1 or 2' });
});
