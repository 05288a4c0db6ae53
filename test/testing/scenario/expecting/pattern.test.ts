import { expect, it } from 'vitest';
import { findsPattern } from '../../../../src/testing/scenario/expecting/pattern.js';

it('finds what regular expressions with u find', () => {
  expect(findsPattern('^a+$', 'aaa')).toBe(true);
  expect(findsPattern('^a+$', 'aab')).toBe(false);
  expect(findsPattern('^.$', '💶')).toBe(true);
});

it('gives up a pattern that would take for ever', () => {
  expect(findsPattern('^(a+)+$', `${'a'.repeat(60)}b`, 50)).toBeNull();
  expect(findsPattern('b$', 'ab')).toBe(true);
});
