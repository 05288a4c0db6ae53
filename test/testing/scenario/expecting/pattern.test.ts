import { expect, it } from 'vitest';
import { findsPattern } from '../../../../src/testing/scenario/expecting/match.js';

it('a pattern matches as a regular expression with the u flag', () => {
  expect(findsPattern('^a+$', 'aaa')).toBe(true);
  expect(findsPattern('^a+$', 'aab')).toBe(false);
  expect(findsPattern('^.$', '💶')).toBe(true);
});

it('a pattern that backtracks without end is given up', () => {
  expect(findsPattern('^(a+)+$', `${'a'.repeat(60)}b`, 50)).toBeNull();
  expect(findsPattern('b$', 'ab')).toBe(true);
});
