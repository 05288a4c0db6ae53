import { type KeyObject, createPublicKey, verify } from 'node:crypto';
import { bytesOf } from './addresses.js';
import type { WireTransaction } from './wire.js';

// RFC 8410: what stands before the 32 bytes of an ed25519 public key in DER.
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const KEY_LIMIT = 10_000;
const keys = new Map<string, KeyObject>();

function keyOf(address: string): KeyObject {
  const known = keys.get(address);
  if (known !== undefined) return known;
  const der = Buffer.concat([SPKI_PREFIX, bytesOf(address)]);
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  if (keys.size >= KEY_LIMIT) keys.clear();
  keys.set(address, key);
  return key;
}

/** Whether `signature` is the ed25519 signature of `message` by the wallet `address`. */
export function verifySignature(address: string, message: Uint8Array, signature: Uint8Array): boolean {
  return signature.length === 64 && verify(null, message, keyOf(address), signature);
}

/** Whether every required signature of a transaction is right. */
export function verifyTransaction(wire: WireTransaction): boolean {
  return wire.signatures.every((signature, at) =>
    verifySignature(wire.keys[at] as string, wire.message, signature),
  );
}
