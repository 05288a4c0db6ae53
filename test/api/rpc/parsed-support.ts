import * as web3 from '@solana/web3.js';
import { parseAccount } from '../../../src/api/rpc/parsed/accounts.js';

export const key = (fill: number): web3.PublicKey => new web3.PublicKey(new Uint8Array(32).fill(fill));
export const [A, B, C, D, E, F] = [key(1), key(2), key(3), key(4), key(5), key(6)] as const;
export const [a, b, c] = [A.toBase58(), B.toBase58(), C.toBase58()];
export const [d, e, f] = [D.toBase58(), E.toBase58(), F.toBase58()];
export const NONE = new Uint8Array(32);
export const RENT = 'SysvarRent111111111111111111111111111111111';
export const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
export const EPOCHS = 'SysvarEpochSchedu1e111111111111111111111111';
export const BLOCKHASHES = 'SysvarRecentB1ockHashes11111111111111111111';
export const STAKE = 'Stake11111111111111111111111111111111111111';
export const VOTE = 'Vote111111111111111111111111111111111111111';
export const CONFIG = 'Config1111111111111111111111111111111111111';
export const STAKE_CONFIG = 'StakeConfig11111111111111111111111111111111';
export const LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';
export const SYSTEM = '11111111111111111111111111111111';
export const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const ASSOCIATED = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const LOOKUP = 'AddressLookupTab1e1111111111111111111111111';
export const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
export const MEMO_V1 = 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo';
export const SYSVAR = 'Sysvar1111111111111111111111111111111111111';

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
export function account(owner: string, data: Uint8Array, address = a, decimals: number | null = 6) {
  const given = { address, owner, data, executable: false, lamports: 1n };
  return parseAccount(given, { decimalsOf: () => decimals });
}
