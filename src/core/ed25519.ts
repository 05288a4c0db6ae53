import { type KeyObject, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

// RFC 8410: the DER prefix of the 32 bytes of an ed25519 key.
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

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

function privateKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
}

function publicKeyObject(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: 'der', type: 'spki' });
}

/** Node's built-in ed25519 (OpenSSL), available on every machine. */
export const BY_NODE: Ed25519 = {
  signing: (secret) => {
    const key = privateKeyOf(secret.subarray(0, 32));
    return (message) => sign(null, message, key);
  },
  publicKeyOf: (seed) =>
    createPublicKey(privateKeyOf(seed)).export({ format: 'der', type: 'spki' }).subarray(-PUBLIC_KEY_BYTES),
  isSignedBy: (publicKey, message, signature) => verify(null, message, publicKeyObject(publicKey), signature),
};

/** libsodium: signing takes 3/5 of Node's time, deriving a public key 1/30. Null without an addon for the machine. */
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

/** Loading the addon takes as long as a thousand signatures, so it is deferred to the first one, or until more keys are derived than at startup. */
const fastest: { library: Ed25519 | null; derivedKeys: number } = { library: null, derivedKeys: 0 };
const KEYS_AT_STARTUP = 100;

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
    fastest.derivedKeys += 1;
    const isStartup = fastest.library === null && fastest.derivedKeys <= KEYS_AT_STARTUP;
    const publicKey = (isStartup ? BY_NODE : library()).publicKeyOf(seed);
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
