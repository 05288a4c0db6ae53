import bs58 from 'bs58';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromBase58, toBase58 } from '../../../src/inspector/text/base58.js';

it('base58 is what others write and read', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
      expect(toBase58(bytes)).toBe(bs58.encode(bytes));
      expect([...fromBase58(bs58.encode(bytes))]).toEqual([...bytes]);
    }),
  );
  expect(() => fromBase58('0')).toThrow(RangeError);
});
