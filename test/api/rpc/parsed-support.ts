import * as web3 from '@solana/web3.js';
import { parseAccount } from '../../../src/api/rpc/parsed/accounts.js';

const key = (fill: number): web3.PublicKey => new web3.PublicKey(new Uint8Array(32).fill(fill));
const named = <N extends string, T>(names: N[], make: (name: N, at: number) => T) =>
  Object.fromEntries(names.map((name, at) => [name, make(name, at)])) as Record<N, T>;
/** Keys: as web3.js has them in capitals, their base58 in small letters. */
export const KEYS = {
  ...named(['A', 'B', 'C', 'D', 'E', 'F'], (_letter, at) => key(at + 1)),
  ...named(['a', 'b', 'c', 'd', 'e', 'f'], (_letter, at) => key(at + 1).toBase58()),
};

/** Bytes in a row: a number is one byte, a bigint eight, little-endian. */
export function bytes(
  ...parts: (number | bigint | readonly number[] | Uint8Array | web3.PublicKey)[]
): Uint8Array {
  const buffers = parts.map((part) => {
    if (part instanceof web3.PublicKey) return Buffer.from(part.toBytes());
    if (typeof part === 'number') return Buffer.of(part);
    if (typeof part !== 'bigint') return Buffer.from(part);
    const eight = Buffer.alloc(8);
    eight.writeBigUInt64LE(BigInt.asUintN(64, part));
    return eight;
  });
  return new Uint8Array(Buffer.concat(buffers));
}

export const u16 = (value: number): number[] => [value & 255, value >> 8];
export const u32 = (value: number): number[] => [...u16(value & 65_535), ...u16(value >>> 16)];

/** The parsed form of an account; `decimals` is that of every mint. */
export function account(owner: string, data: Uint8Array, decimals: number | null = 6) {
  return parseAccount({ owner, data }, { decimalsOf: () => decimals });
}
