import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import { SecretKey } from '../core/ed25519.js';
import { type SecretKeySource, secretKeyBytes } from '../core/secret-key.js';

/** An ed25519 key pair as Solana wallets have it. */
export interface KeyPair {
  /** base58 of the public key. */
  readonly address: string;
  /** base58 of seed and public key, as Solana wallets import it. */
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

/** The most key pairs that are kept. */
const MOST_KEPT = 1_024;

/** Key pairs that were derived before, by their seed and name: making one takes as long as several calls of the service. */
const KEPT = new Map<string, KeyPair>();

/** The key pair of a secret key. Throws RangeError when it is none. */
export function keyPairOf(secretKey: SecretKeySource): KeyPair {
  return keyPair(secretKeyBytes(secretKey).subarray(0, 32));
}

/** Keys and secrets of a world: each is a function of the seed and its name. */
export class KeyRing {
  readonly #seed: string;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** 32 bytes that belong to a name. */
  secret(name: string): Uint8Array {
    return createHash('sha256').update(`agent-bank-sim/${this.#seed}/${name}`).digest();
  }

  /** The key pair that belongs to a name. */
  derive(name: string): KeyPair {
    const known = `${this.#seed}/${name}`;
    let pair = KEPT.get(known);
    if (pair === undefined) {
      pair = keyPair(this.secret(name));
      if (KEPT.size >= MOST_KEPT) KEPT.delete(KEPT.keys().next().value ?? '');
      KEPT.set(known, pair);
    }
    return pair;
  }

  /** A number of 32 bits that belongs to a name. */
  salt(name: string): number {
    return Buffer.from(this.secret(name)).readInt32LE(0);
  }
}
