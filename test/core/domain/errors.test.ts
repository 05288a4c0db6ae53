import { expect, it } from 'vitest';
import { ERRORS, type ErrorCode } from '../../../src/core/domain/errors.js';

const CODES = Object.keys(ERRORS) as ErrorCode[];

it('error table has snake_case codes, each with its own sentence', () => {
  for (const code of CODES) {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(ERRORS[code][1], code).toMatch(/^[A-Z].*\.$/);
  }
  expect(new Set(CODES.map((code) => ERRORS[code][1])).size).toBe(CODES.length);
});
