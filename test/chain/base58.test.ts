import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base58 } from '../../src/chain/base58.js';

describe('base58 encoding', () => {
  it('encodes bytes as bs58 does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        expect(base58(bytes)).toBe(bs58.encode(bytes));
      }),
      { numRuns: 1_000 },
    );
  });

  it('encodes each leading zero byte as a 1', () => {
    for (const zeros of [0, 1, 2, 3, 32, 64]) {
      for (const rest of [[], [1], [0x39, 0xff], [255, 255, 255]]) {
        const bytes = Uint8Array.from([...Array.from({ length: zeros }, () => 0), ...rest]);
        expect(base58(bytes)).toBe(bs58.encode(bytes));
      }
    }
  });
});
