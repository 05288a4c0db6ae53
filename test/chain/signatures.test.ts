// @module-tag slow
import fc from 'fast-check';
import nacl from 'tweetnacl';
import { describe, expect, it } from 'vitest';
import { addressOf } from '../../src/chain/solana/addresses.js';
import { verifySignature, verifyTransaction } from '../../src/chain/signatures.js';
import { transferLamports } from '../../src/chain/solana/instructions.js';
import { buildTransaction, parseTransaction } from '../../src/chain/solana/wire.js';
import { KeyRing } from '../../src/world/keys.js';
import { forAll } from '../support/for-all.js';

const ring = new KeyRing('signatures');
const [alice, bob] = [ring.derive('alice'), ring.derive('bob')];

describe('signature verification', () => {
  it('rejects random signatures and wrong lengths without throwing', () => {
    const key = fc.uint8Array({ minLength: 32, maxLength: 32 });
    forAll(key, fc.uint8Array({ maxLength: 70 }), (bytes, signature) => {
      expect(verifySignature(addressOf(bytes), Buffer.from('x'), signature)).toBe(false);
    });
  });

  /** The y coordinates of points of small order, and two of them with the prime of the field added. Source: RFC 7748, section 7. */
  const SMALL_ORDER = [
    '00'.repeat(32),
    `01${'00'.repeat(31)}`,
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    `ec${'ff'.repeat(30)}7f`,
    `ed${'ff'.repeat(30)}7f`,
    `ee${'ff'.repeat(30)}7f`,
  ].flatMap((y) => [0, 0x80].map((sign) => withSign(y, sign)));

  function withSign(y: string, sign: number): Buffer {
    const point = Buffer.from(y, 'hex');
    point[31] = (point[31] as number) | sign;
    return point;
  }

  it('rejects every signature for a key of small order, as a cluster does', () => {
    // The neutral point as R with S = 0 is valid for many messages and such keys. Solana verifies strictly.
    const neutral = Uint8Array.from([1, ...new Uint8Array(31)]);
    const signature = Uint8Array.from([...neutral, ...new Uint8Array(32)]);
    let forged = 0;
    for (const key of SMALL_ORDER)
      for (let at = 0; at < 64; at += 1) {
        const message = Buffer.from(`message ${at}`);
        // Slow, and only to see that forging is possible.
        if (at < 16 && nacl.sign.detached.verify(message, signature, key)) forged += 1;
        expect(verifySignature(addressOf(key), message, signature)).toBe(false);
      }
    expect(forged).toBeGreaterThan(25);
  });
});

describe('transaction verification', () => {
  const blockhash = ring.derive('hash').address;
  const instructions = [
    transferLamports(alice.address, bob.address, 1n),
    transferLamports(bob.address, alice.address, 1n),
  ];

  it("requires every signature to be its own signer's, of the whole message", async () => {
    const bytes = buildTransaction(instructions, [alice, bob], blockhash);
    expect(verifyTransaction(parseTransaction(bytes))).toBe(true);
    const swapped = Uint8Array.from(bytes);
    swapped.set(bytes.subarray(65, 129), 1);
    swapped.set(bytes.subarray(1, 65), 65);
    expect(verifyTransaction(parseTransaction(swapped))).toBe(false);
    const half = Uint8Array.from(bytes).fill(0, 65, 129);
    expect(verifyTransaction(parseTransaction(half))).toBe(false);
    for (let at = 129; at < bytes.length; at += 1) {
      let isVerified = false;
      try {
        isVerified = verifyTransaction(parseTransaction(bytes.with(at, (bytes[at] as number) ^ 1)));
      } catch {
        // It is no transaction any more.
      }
      expect(isVerified, String(at)).toBe(false);
    }
  });
});
