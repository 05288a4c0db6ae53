import { describe, expect, it } from 'vitest';
import { ERRORS, type ErrorCode } from '../../../src/core/domain/errors.js';

const CODES = Object.keys(ERRORS) as ErrorCode[];

describe('error table', () => {
  it('has snake_case codes, each with its own sentence', () => {
    for (const code of CODES) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(ERRORS[code][1], code).toMatch(/^[A-Z].*\.$/);
    }
    expect(new Set(CODES.map((code) => ERRORS[code][1])).size).toBe(CODES.length);
  });

  it('keeps the codes and statuses that clients branch on', () => {
    const byStatus = (status: number) => CODES.filter((code) => ERRORS[code][0] === status).toSorted();
    expect(byStatus(401)).toEqual([
      'challenge_expired',
      'challenge_unknown',
      'challenge_used',
      'invalid_signature',
      'invalid_token',
      'missing_token',
      'token_expired',
    ]);
    expect(byStatus(403)).toEqual(['daily_limit_exceeded', 'sender_mismatch']);
    expect(byStatus(404)).toEqual(['loan_not_found', 'not_found']);
    expect(byStatus(500)).toEqual([
      'chain_unavailable',
      'internal_error',
      'oracle_unavailable',
      'storage_unavailable',
    ]);
    expect(byStatus(400)).toHaveLength(CODES.length - 15);
  });
});
