import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BY_NODE, SIGNATURE_BYTES, SecretKey, bySodium } from '../../src/core/ed25519.js';
import { forAll } from '../support/for-all.js';

const SEED = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const message = fc.uint8Array({ maxLength: 1_300 });

describe('Ed25519 signatures', () => {
  it('match RFC 8032, section 7.1, test 1', () => {
    const key = SecretKey.ofSeed(SEED);
    expect(Buffer.from(key.publicKey).toString('hex')).toBe(
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    );
    expect(Buffer.from(key.sign(Buffer.alloc(0))).toString('hex')).toBe(
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    );
  });

  const sodium = bySodium();
  it('reject another message, a flipped bit and another length', () => {
    const { bytes: secret, publicKey } = SecretKey.ofSeed(SEED);
    const text = Buffer.from('pay 1 USDC');
    for (const library of [BY_NODE, sodium ?? BY_NODE]) {
      const signature = library.signing(secret)(text);
      const altered = Uint8Array.from(signature);
      altered[40] = (altered[40] ?? 0) ^ 1;
      const tried = [
        [text, signature],
        [Buffer.from('pay 2 USDC'), signature],
        [text, altered],
        [text, signature.subarray(1)],
        [text, new Uint8Array()],
      ] as const;
      const verdicts = tried.map(([of, by]) => library.isSignedBy(publicKey, of, by));
      expect(verdicts).toEqual([true, false, false, false, false]);
    }
  });

  it.skipIf(sodium === null)(
    "are identical from both libraries, and each verifies the other's, but not with a flipped bit",
    () => {
      const fast = sodium ?? BY_NODE;
      forAll(bytes(32), message, fc.nat(SIGNATURE_BYTES * 8 - 1), (seed, text, bit) => {
        const { bytes: secret, publicKey } = SecretKey.ofSeed(seed);
        const signature = BY_NODE.signing(secret)(text);
        expect(Buffer.compare(signature, fast.signing(secret)(text))).toBe(0);
        const flipped = Uint8Array.from(signature);
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        for (const library of [BY_NODE, fast]) {
          expect(Buffer.compare(library.publicKeyOf(seed), publicKey)).toBe(0);
          expect(library.isSignedBy(publicKey, text, signature)).toBe(true);
          expect(library.isSignedBy(publicKey, text, flipped)).toBe(false);
        }
      });
    },
  );
});
