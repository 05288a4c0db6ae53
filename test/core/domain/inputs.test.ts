import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAddress, isSignature, parseToken } from '../../../src/core/domain/inputs.js';
import { decodeRequest, encodeHeader } from '../../../src/core/domain/payment-request.js';
import { forAll } from '../../support/for-all.js';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

describe('address and signature validation', () => {
  it('accepts base58 of exactly 32 and 64 bytes', () => {
    forAll(fc.integer({ min: 0, max: 70 }).chain(bytes), (some) => {
      const text = bs58.encode(some);
      expect(isAddress(text)).toBe(some.length === 32);
      expect(isSignature(text)).toBe(some.length === 64);
    });
    expect(isAddress('1'.repeat(32))).toBe(true);
    expect(isAddress('1'.repeat(33))).toBe(false);
    expect(isSignature('1'.repeat(64))).toBe(true);
  });

  it('rejects letters outside base58 and surrounding text, and never throws', () => {
    const good = bs58.encode(new Uint8Array(32).fill(7));
    for (const letter of ['0', 'O', 'I', 'l', ' ', '\n', 'é']) {
      expect(isAddress(`${letter}${good.slice(1)}`), letter).toBe(false);
      expect(isAddress(`${good}${letter}`), letter).toBe(false);
    }
    forAll(fc.string({ maxLength: 100 }), (text) => void [isAddress(text), isSignature(text)]);
  });
});

it('only the two published token names are tokens, in their case', () => {
  for (const name of ['usdc', 'SOL ', '', 'toString', '__proto__'])
    expect(parseToken(name).ok, name).toBe(false);
});

describe('payment request header', () => {
  const request = {
    version: '1',
    request_id: 'r',
    recipient: '1'.repeat(32),
    pay_to: '1'.repeat(32),
    amount: 1.5,
    token: 'USDC',
    asset: 'm',
    network: 'n',
    description: 'naïve café ☕',
    issued_at: '2026-01-01T00:00:00Z',
    expires_at: '2026-01-01T00:05:00Z',
  };

  it('decodes to null when a required member is missing or has the wrong type', () => {
    const members = ['request_id', 'recipient', 'pay_to', 'amount', 'token', 'expires_at'] as const;
    for (const member of members) {
      for (const value of [undefined, null, {}, true, member === 'amount' ? '1' : 1]) {
        expect(decodeRequest(encodeHeader({ ...request, [member]: value })), member).toBeNull();
      }
    }
    for (const expires_at of ['soon', '2026-02-30T00:00:00Z'])
      expect(decodeRequest(encodeHeader({ ...request, expires_at }))).toBeNull();
  });

  it('decodes to null, without throwing, for any header and any JSON', () => {
    forAll(fc.oneof(fc.string(), fc.base64String()), (header) => {
      expect(decodeRequest(header)).toBeNull();
    });
    forAll(fc.json(), (json) => {
      expect(decodeRequest(Buffer.from(json).toString('base64'))).toBeNull();
    });
  });
});
