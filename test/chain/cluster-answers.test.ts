import { describe, expect, it } from 'vitest';
import { preflightError } from '../../src/chain/cluster/answers.js';
import { parseExactJson } from '../../src/core/exact-json.js';

describe('cluster responses', () => {
  it('keep every digit of large numbers and leave strings untouched', () => {
    const text =
      '{"lamports":500000000000000001,"small":12,"log":"paid 500000000000000001, \\"9999999999999999\\"","f":1.5}';
    expect(parseExactJson(text, String).exact).toEqual({
      lamports: '500000000000000001',
      small: 12,
      log: 'paid 500000000000000001, "9999999999999999"',
      f: 1.5,
    });
  });

  it('yield the preflight error when one is present', () => {
    const error = { InstructionError: [0, { Custom: 1 }] };
    expect(preflightError({ err: error, logs: ['a'] })).toEqual({ error, logs: ['a'] });
    expect(preflightError({ err: null })).toBeNull();
    expect(preflightError(undefined)).toBeNull();
  });
});
