import * as web3 from '@solana/web3.js';
import { parseAccount } from '../../../src/api/rpc/parsed/accounts.js';

const key = (fill: number): web3.PublicKey => new web3.PublicKey(new Uint8Array(32).fill(fill));
const [A, B, C, D, E, F] = [key(1), key(2), key(3), key(4), key(5), key(6)] as const;
/** Keys: as web3.js has them in capitals, their base58 in small letters. */
export const KEYS = {
  ...{ A, B, C, D, E, F },
  ...{ a: A.toBase58(), b: B.toBase58(), c: C.toBase58() },
  ...{ d: D.toBase58(), e: E.toBase58(), f: F.toBase58() },
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
export function account(owner: string, data: Uint8Array, address = KEYS.a, decimals: number | null = 6) {
  const given = { address, owner, data, executable: false, lamports: 1n };
  return parseAccount(given, { decimalsOf: () => decimals });
}
