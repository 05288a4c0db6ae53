import { expect, it } from 'vitest';
import { findsPattern } from '../../../../src/testing/scenario/expecting/pattern.js';

it('matches as a regular expression with the u flag', () => {
  expect(findsPattern('^a+$', 'aaa')).toBe(true);
  expect(findsPattern('^a+$', 'aab')).toBe(false);
  expect(findsPattern('^.$', '💶')).toBe(true);
});

it('gives up on a pattern that backtracks without end', () => {
  expect(findsPattern('^(a+)+$', `${'a'.repeat(60)}b`, 50)).toBeNull();
  expect(findsPattern('b$', 'ab')).toBe(true);
});
