import { type KeyObject, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

// Node reads and writes keys as JWK (RFC 8037) in a tenth of the time that DER takes.
const JWK = { kty: 'OKP', crv: 'Ed25519' };

/** Bytes of a detached signature. */
export const SIGNATURE_BYTES = 64;

const PUBLIC_KEY_BYTES = 32;

export type Sign = (message: Uint8Array) => Uint8Array;

/** An ed25519 implementation. All of them produce identical signatures, since ed25519 is deterministic. */
export interface Ed25519 {
  /** Returns a signer for 64 secret bytes: seed and public key. */
  readonly signing: (secret: Uint8Array) => Sign;
  /** The 32-byte public key of a 32-byte seed. */
  readonly publicKeyOf: (seed: Uint8Array) => Uint8Array;
  /** Whether 64 bytes are a valid signature of a message by a 32-byte public key. */
  readonly isSignedBy: (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;
}

/** The libsodium functions in use; results are written into buffers passed in. Source: libsodium, Public-key signatures. */
interface Sodium {
  readonly crypto_sign_seed_keypair: (publicKey: Uint8Array, secret: Uint8Array, seed: Uint8Array) => void;
  readonly crypto_sign_detached: (signature: Uint8Array, message: Uint8Array, secret: Uint8Array) => void;
  readonly crypto_sign_verify_detached: (
    signature: Uint8Array,
    message: Uint8Array,
    publicKey: Uint8Array,
  ) => boolean;
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

function privateKeyOf(seed: Uint8Array): KeyObject {
  // `x`, the public key, must be there, but Node derives it by itself.
  return createPrivateKey({ key: { ...JWK, d: base64url(seed), x: '' }, format: 'jwk' });
}

function publicKeyObject(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: { ...JWK, x: base64url(bytes) }, format: 'jwk' });
}

/** Node's built-in ed25519 (OpenSSL), available on every machine. */
export const BY_NODE: Ed25519 = {
  signing: (secret) => {
    const key = privateKeyOf(secret.subarray(0, 32));
    return (message) => sign(null, message, key);
  },
  publicKeyOf: (seed) => Buffer.from(privateKeyOf(seed).export({ format: 'jwk' }).x ?? '', 'base64url'),
  isSignedBy: (publicKey, message, signature) => verify(null, message, publicKeyObject(publicKey), signature),
};

/** libsodium: signing and verifying take half of Node's time. Null without an addon for the machine. */
export function bySodium(): Ed25519 | null {
  let sodium: Sodium;
  try {
    sodium = require('sodium-native') as Sodium;
  } catch {
    return null;
  }
  return {
    signing: (secret) => (message) => {
      const signature = new Uint8Array(SIGNATURE_BYTES);
      sodium.crypto_sign_detached(signature, message, secret);
      return signature;
    },
    publicKeyOf: (seed) => {
      const publicKey = new Uint8Array(PUBLIC_KEY_BYTES);
      sodium.crypto_sign_seed_keypair(publicKey, new Uint8Array(2 * PUBLIC_KEY_BYTES), seed);
      return publicKey;
    },
    isSignedBy: (publicKey, message, signature) =>
      signature.length === SIGNATURE_BYTES &&
      sodium.crypto_sign_verify_detached(signature, message, publicKey),
  };
}

/** Null until the first signature: loading the addon takes as long as a thousand of them. */
const fastest: { library: Ed25519 | null } = { library: null };

function library(): Ed25519 {
  fastest.library ??= bySodium() ?? BY_NODE;
  return fastest.library;
}

export class SecretKey {
  /** 64 bytes, seed and public key. */
  readonly bytes: Uint8Array;
  #sign: Sign | null = null;

  /** `bytes` are not copied and must not change. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** The key of a 32-byte seed. */
  static ofSeed(seed: Uint8Array): SecretKey {
    const publicKey = (fastest.library ?? BY_NODE).publicKeyOf(seed);
    return new SecretKey(Buffer.concat([seed, publicKey]));
  }

  /** The 32 bytes of its public key. */
  get publicKey(): Uint8Array {
    return this.bytes.subarray(32);
  }

  sign(message: Uint8Array): Uint8Array {
    this.#sign ??= library().signing(this.bytes);
    return this.#sign(message);
  }
}

/** Whether `signature` is a valid signature of `message` by the 32-byte public key. */
export function isSignedBy(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return library().isSignedBy(publicKey, message, signature);
}
