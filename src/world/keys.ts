import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import { SecretKey } from '../ed25519.js';

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

/** The key pair of 64 secret bytes, seed and public key. Throws RangeError when they are not that. */
export function keyPairOf(secretKey: Uint8Array): KeyPair {
  if (secretKey.length !== 64) throw new RangeError(`a secret key has 64 bytes, not ${secretKey.length}`);
  const pair = keyPair(secretKey.subarray(0, 32));
  if (pair.address !== bs58.encode(secretKey.subarray(32)))
    throw new RangeError('the last 32 bytes of the secret key are not the public key of the first 32');
  return pair;
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
