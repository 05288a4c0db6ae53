import fc from 'fast-check';
import nacl from 'tweetnacl';
import { describe, expect, it } from 'vitest';
import { addressOf } from '../../src/chain/addresses.js';
import { verifySignature, verifyTransaction } from '../../src/chain/signatures.js';
import { transferLamports } from '../../src/chain/tokens.js';
import { buildTransaction, parseTransaction } from '../../src/chain/wire.js';
import { KeyRing } from '../../src/world/keys.js';

const ring = new KeyRing('signatures');
const [alice, bob] = [ring.derive('alice'), ring.derive('bob')];

describe('a signature', () => {
  it('is judged as tweetnacl judges it, whichever byte of it, of the message or of the key is changed', () => {
    const message = fc.uint8Array({ minLength: 1, maxLength: 100 });
    const change = fc.record({
      what: fc.constantFrom('signature' as const, 'message' as const, 'key' as const, 'none' as const),
      at: fc.nat(),
      bit: fc.nat(7),
    });
    fc.assert(
      fc.property(message, change, (text, { what, at, bit }) => {
        const parts = {
          signature: Uint8Array.from(alice.sign(text)),
          message: Uint8Array.from(text),
          key: nacl.sign.keyPair.fromSeed(ring.secret('alice')).publicKey,
          none: new Uint8Array(1),
        };
        const part = parts[what];
        part[at % part.length] = (part[at % part.length] as number) ^ (1 << bit);
        const ours = verifySignature(addressOf(parts.key), parts.message, parts.signature);
        expect(ours).toBe(nacl.sign.detached.verify(parts.message, parts.signature, parts.key));
        expect(ours).toBe(what === 'none');
      }),
      { numRuns: 100 },
    );
  });

  it('by any 32 bytes, of any length, is refused and never an exception', () => {
    const key = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(key, fc.uint8Array({ maxLength: 70 }), (bytes, signature) => {
        expect(verifySignature(addressOf(bytes), Buffer.from('x'), signature)).toBe(false);
      }),
    );
    const short = alice.sign(Buffer.from('x')).subarray(0, 63);
    expect(verifySignature(alice.address, Buffer.from('x'), short)).toBe(false);
  });

  it('that anybody can write for a key of small order is refused, as a cluster refuses it', () => {
    // The neutral point as key and R, and S = 0, fit every message. Solana verifies strictly.
    const neutral = Uint8Array.from([1, ...new Uint8Array(31)]);
    const signature = Uint8Array.from([...neutral, ...new Uint8Array(32)]);
    expect(verifySignature(addressOf(neutral), Buffer.from('anything'), signature)).toBe(false);
  });
});

describe('a transaction', () => {
  const blockhash = ring.derive('hash').address;
  const instructions = [
    transferLamports(alice.address, bob.address, 1n),
    transferLamports(bob.address, alice.address, 1n),
  ];

  it('needs every signature to be that of its own signer', async () => {
    const bytes = buildTransaction(instructions, [alice, bob], blockhash);
    expect(verifyTransaction(parseTransaction(bytes))).toBe(true);
    const swapped = Uint8Array.from(bytes);
    swapped.set(bytes.subarray(65, 129), 1);
    swapped.set(bytes.subarray(1, 65), 65);
    expect(verifyTransaction(parseTransaction(swapped))).toBe(false);
    const half = Uint8Array.from(bytes).fill(0, 65, 129);
    expect(verifyTransaction(parseTransaction(half))).toBe(false);
  });

  it('is not verified after any change of its message', async () => {
    const bytes = buildTransaction(instructions, [alice, bob], blockhash);
    for (let at = 129; at < bytes.length; at += 1) {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      let verified = false;
      try {
        verified = verifyTransaction(parseTransaction(changed));
      } catch {
        verified = false; // no longer a transaction
      }
      expect(verified, String(at)).toBe(false);
    }
  });
});
