import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import fc from 'fast-check';
import nacl from 'tweetnacl';
import { describe, expect, it } from 'vitest';
import { verifySignature } from '../../src/chain/signatures.js';
import { KeyRing } from '../../src/world/keys.js';
import { forAllOf } from '../support/for-all.js';

describe('KeyRing', () => {
  it('derives the key pairs that web3.js and tweetnacl make of the same secrets', () => {
    forAllOf(30, fc.string(), fc.string(), fc.uint8Array({ maxLength: 200 }), (seed, name, message) => {
      const ring = new KeyRing(seed);
      const key = ring.derive(name);
      const theirs = Keypair.fromSeed(ring.secret(name));
      expect(key.address).toBe(theirs.publicKey.toBase58());
      expect(key.secretKey).toBe(bs58.encode(theirs.secretKey));
      const signature = nacl.sign.detached(message, theirs.secretKey);
      expect(bs58.encode(key.sign(message))).toBe(bs58.encode(signature));
      expect(verifySignature(key.address, message, signature)).toBe(true);
    });
  });

  it('derives the same secret for the same seed and name, and a different one otherwise', () => {
    const secrets = [
      new KeyRing('a').secret('b'),
      new KeyRing('a').secret('c'),
      new KeyRing('b').secret('b'),
      new KeyRing('').secret('a/b'),
    ].map((secret) => bs58.encode(secret));
    expect(new Set(secrets).size).toBe(4);
    expect(bs58.encode(new KeyRing('a').secret('b'))).toBe(secrets[0]);
  });
});
