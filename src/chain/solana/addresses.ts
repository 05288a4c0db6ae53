import { createHash } from 'node:crypto';
import bs58 from 'bs58';

/** Maximum entries of each base58 cache; it is cleared when full. */
const MEMO_LIMIT = 50_000;

const toText = new Map<string, string>();
const toBytes = new Map<string, Uint8Array>();

/** The base58 form of 32 bytes, cached, since encoding costs microseconds and addresses recur. */
export function addressOf(bytes: Uint8Array): string {
  const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const known = toText.get(key);
  if (known !== undefined) return known;
  const text = bs58.encode(bytes);
  if (toText.size >= MEMO_LIMIT) toText.clear();
  toText.set(key, text);
  return text;
}

/** The 32 bytes of an address. Throws for other text. */
export function bytesOf(address: string): Uint8Array {
  const known = toBytes.get(address);
  if (known !== undefined) return known;
  const bytes = bs58.decode(address);
  if (bytes.length !== 32) throw new RangeError(`not an address: ${address}`);
  if (toBytes.size >= MEMO_LIMIT) toBytes.clear();
  toBytes.set(address, bytes);
  return bytes;
}

export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
/** The loader that owns non-upgradeable programs. */
export const BPF_LOADER = 'BPFLoader2111111111111111111111111111111111';
/** The loader that owns upgradeable programs and their data. */
export const UPGRADEABLE_LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';
export const SYSVAR_OWNER = 'Sysvar1111111111111111111111111111111111111';
export const SYSVARS = {
  clock: 'SysvarC1ock11111111111111111111111111111111',
  epochSchedule: 'SysvarEpochSchedu1e111111111111111111111111',
  recentBlockhashes: 'SysvarRecentB1ockHashes11111111111111111111',
  rent: 'SysvarRent111111111111111111111111111111111',
  slotHashes: 'SysvarS1otHashes111111111111111111111111111',
} as const;
export const NATIVE_MINT = 'So11111111111111111111111111111111111111112';
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const MEMO_V1_PROGRAM = 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo';
export const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
export const VOTE_PROGRAM = 'Vote111111111111111111111111111111111111111';

/** Where @solana-program/memo expects the memo program. */
export const MEMO_V4_PROGRAM = 'Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH';
export const LOOKUP_TABLE_PROGRAM = 'AddressLookupTab1e1111111111111111111111111';

// Edwards25519 over p = 2^255 - 19, d = -121665 / 121666. Source: RFC 8032, section 5.1.
const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/**
 * Whether a number from 1 to below P is a square modulo P: whether its Jacobi symbol is 1, which takes an eighth of the time of a power.
 * Source: Handbook of Applied Cryptography, algorithm 2.149.
 */
function isSquare(value: bigint): boolean {
  let [upper, lower, symbol] = [value, P, 1];
  while (upper !== 0n) {
    while ((upper & 1n) === 0n) {
      upper >>= 1n;
      const rest = lower & 7n;
      if (rest === 3n || rest === 5n) symbol = -symbol;
    }
    if ((upper & lower & 3n) === 3n) symbol = -symbol;
    [upper, lower] = [lower % upper, upper];
  }
  return symbol === 1;
}

/** Whether 32 bytes are a point on the curve: wallet keys are, program-derived addresses must not be. */
export function isOnCurve(bytes: Uint8Array): boolean {
  let y = 0n;
  for (let at = 31; at >= 0; at -= 1) y = (y << 8n) | BigInt(bytes[at] as number);
  y &= (1n << 255n) - 1n;
  if (y >= P) y -= P;
  const square = (y * y) % P;
  const u = (square - 1n + P) % P;
  const v = (D * square + 1n) % P;
  // x² = u / v has a root exactly when u v is a square (or zero).
  const product = (u * v) % P;
  return product === 0n || isSquare(product);
}

/** The address that a program derives from seeds that are addresses: off the curve, so that no key can sign for it. */
export function programDerivedAddress(seeds: readonly string[], program: string): string {
  for (let bump = 255; bump >= 0; bump -= 1) {
    const hash = createHash('sha256');
    for (const seed of seeds) hash.update(bytesOf(seed));
    const digest = hash
      .update(Uint8Array.of(bump))
      .update(bytesOf(program))
      .update('ProgramDerivedAddress')
      .digest();
    if (!isOnCurve(digest)) return addressOf(digest);
  }
  throw new Error(`no address of ${program} derives from ${seeds.join(', ')}`);
}
