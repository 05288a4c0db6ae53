import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import { SecretKey } from '../core/ed25519.js';
import { type SecretKeySource, secretKeyBytes } from '../core/secret-key.js';

/** An ed25519 key pair, as used by Solana wallets. */
export interface KeyPair {
  /** base58 of the public key. */
  readonly address: string;
  /** base58 of seed and public key, the format that Solana wallets import. */
  readonly secretKey: string;
  sign(message: Uint8Array): Uint8Array;
}

function keyPair(seed: Uint8Array): KeyPair {
  const key = SecretKey.ofSeed(seed);
  return {
    address: bs58.encode(key.publicKey),
    secretKey: bs58.encode(key.bytes),
    sign: (message) => key.sign(message),
  };
}

/** Maximum cached key pairs. */
const MAX_CACHED = 1_024;

/** Cache of derived key pairs by seed and name: deriving one takes as long as several calls of the service. */
const CACHE = new Map<string, KeyPair>();

/** The key pair of a secret key. Throws RangeError for an invalid one. */
export function keyPairOf(secretKey: SecretKeySource): KeyPair {
  return keyPair(secretKeyBytes(secretKey).subarray(0, 32));
}

/** Keys and secrets of a world, each derived from the seed and a name. */
export class KeyRing {
  readonly #seed: string;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** 32 bytes derived from a name. */
  secret(name: string): Uint8Array {
    return createHash('sha256').update(`agent-bank-sim/${this.#seed}/${name}`).digest();
  }

  derive(name: string): KeyPair {
    const known = `${this.#seed}/${name}`;
    let pair = CACHE.get(known);
    if (pair === undefined) {
      pair = keyPair(this.secret(name));
      if (CACHE.size >= MAX_CACHED) CACHE.delete(CACHE.keys().next().value ?? '');
      CACHE.set(known, pair);
    }
    return pair;
  }

  /** A 32-bit number derived from a name. */
  salt(name: string): number {
    return Buffer.from(this.secret(name)).readInt32LE(0);
  }
}
