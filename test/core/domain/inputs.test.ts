import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAddress, isSignature, parseToken, parseTokenAmount } from '../../../src/core/domain/inputs.js';
import { decodeRequest, encodeHeader } from '../../../src/core/domain/payment-request.js';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

describe('addresses and signatures', () => {
  it('are base58 of 32 and of 64 bytes, and of no other number of bytes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 70 }).chain(bytes), (some) => {
        const text = bs58.encode(some);
        expect(isAddress(text)).toBe(some.length === 32);
        expect(isSignature(text)).toBe(some.length === 64);
      }),
    );
    expect(isAddress('1'.repeat(32))).toBe(true);
    expect(isAddress('1'.repeat(33))).toBe(false);
    expect(isSignature('1'.repeat(64))).toBe(true);
  });

  it('are refused with any letter that base58 leaves out, or anything around them', () => {
    const good = bs58.encode(new Uint8Array(32).fill(7));
    for (const letter of ['0', 'O', 'I', 'l', ' ', '\n', 'é']) {
      expect(isAddress(`${letter}${good.slice(1)}`), letter).toBe(false);
      expect(isAddress(`${good}${letter}`), letter).toBe(false);
    }
    fc.assert(
      fc.property(fc.string({ maxLength: 100 }), (text) => void [isAddress(text), isSignature(text)]),
    );
  });
});

describe('a token and an amount', () => {
  it('are refused token first', () => {
    const code = (token: string, amount: unknown) => {
      const parsed = parseTokenAmount({ token, amount });
      return parsed.ok ? 'ok' : parsed.refusal.code;
    };
    expect([code('DOGE', -1), code('USDC', -1), code('USDC', 1)]).toEqual([
      'unsupported_token',
      'invalid_amount',
      'ok',
    ]);
  });

  it('take the two names exactly as published', () => {
    for (const name of ['usdc', 'SOL ', '', 'toString', '__proto__'])
      expect(parseToken(name).ok, name).toBe(false);
  });
});

describe('a payment request in a header', () => {
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

  it('is read back as it was written', () => {
    expect(decodeRequest(encodeHeader(request))).toEqual(request);
  });

  it('is null when a member that matters is missing or of another kind', () => {
    const members = ['request_id', 'recipient', 'pay_to', 'amount', 'token', 'expires_at'] as const;
    for (const member of members) {
      for (const value of [undefined, null, {}, true, member === 'amount' ? '1' : 1]) {
        expect(decodeRequest(encodeHeader({ ...request, [member]: value })), member).toBeNull();
      }
    }
    expect(decodeRequest(encodeHeader({ ...request, expires_at: 'soon' }))).toBeNull();
  });

  it('is null, never an exception, for any header and any JSON', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (header) => {
        expect(decodeRequest(header)).toBeNull();
      }),
    );
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(decodeRequest(Buffer.from(json).toString('base64'))).toBeNull();
      }),
    );
  });
});
