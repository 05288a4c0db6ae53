import { SIGNATURE_BYTES, isSignedBy } from '../core/ed25519.js';
import { bytesOf } from './solana/addresses.js';
import type { WireTransaction } from './solana/wire.js';

// The y coordinates of the small-order points, little-endian, including their encodings above the field's prime. With such a key
// anyone can produce valid signatures. Source: RFC 8032 (curve), RFC 7748 section 7 (why to reject them).
const SMALL_ORDER = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
]);

function hasSmallOrder(point: Uint8Array): boolean {
  const y = Buffer.from(point);
  y[31] = (y[31] as number) & 0x7f;
  return SMALL_ORDER.has(y.toString('hex'));
}

/**
 * Whether `signature` is a valid ed25519 signature of `message` by the wallet `address`. Solana verifies strictly: neither the key nor the
 * signature's point R may be of small order.
 */
export function verifySignature(address: string, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES) return false;
  const publicKey = bytesOf(address);
  return (
    !hasSmallOrder(publicKey) &&
    !hasSmallOrder(signature.subarray(0, 32)) &&
    isSignedBy(publicKey, message, signature)
  );
}

/** Decides whether signatures are valid. */
export interface SignatureVerifier {
  /** Whether `signature` is a valid signature of `message` by the wallet `address`. */
  readonly ofMessage: (address: string, message: Uint8Array, signature: Uint8Array) => boolean;
}

/** Verifies signatures cryptographically, against the keys of the addresses. */
export const ed25519Verifier: SignatureVerifier = { ofMessage: verifySignature };

/** Whether every required signature of a transaction is valid. */
export function verifyTransaction(
  { signatures, keys, message }: WireTransaction,
  verifier: SignatureVerifier = ed25519Verifier,
): boolean {
  return signatures.every((signature, at) => verifier.ofMessage(keys[at] as string, message, signature));
}
