import {
  ASSOCIATED_TOKEN_PROGRAM,
  TOKEN_PROGRAM,
  addressOf,
  bytesOf,
  programDerivedAddress,
} from './addresses.js';
import type { Account } from '../engine.js';

export const TOKEN_ACCOUNT_BYTES = 165;
export const MINT_BYTES = 82;

/** The rent epoch of accounts that are exempt from rent for ever. Source: Agave's RENT_EXEMPT_RENT_EPOCH. */
export const RENT_EXEMPT_EPOCH = 2n ** 64n - 1n;

/** The rent-exempt minimum for an account of `bytes`. Source: Solana's Rent, 3,480 lamports a byte-year, two years. */
export function rentExemptLamports(bytes: number): bigint {
  return BigInt(128 + bytes) * 6_960n;
}

const ATA_LIMIT = 50_000;
const MINT_LIMIT = 100;
/** By mint, then by owner. */
const atas = new Map<string, Map<string, string>>();

/** The associated token account of an owner and a mint (a program-derived address of the associated token program). */
export function associatedTokenAddress(owner: string, mint: string): string {
  const ofMint = atas.get(mint);
  const known = ofMint?.get(owner);
  if (known !== undefined) return known;
  const address = programDerivedAddress([owner, TOKEN_PROGRAM, mint], ASSOCIATED_TOKEN_PROGRAM);
  if (ofMint === undefined) atas.set(mint, new Map([[owner, address]]));
  else {
    if (ofMint.size >= ATA_LIMIT) ofMint.clear();
    ofMint.set(owner, address);
  }
  if (atas.size > MINT_LIMIT) atas.clear();
  return address;
}

export interface TokenHolding {
  readonly mint: string;
  readonly owner: string;
  readonly amountBase: bigint;
}

/** Parses a token account of the SPL token program; null for any other account. */
export function tokenHolding(account: Account | null): TokenHolding | null {
  if (account === null || account.owner !== TOKEN_PROGRAM || account.data.length !== TOKEN_ACCOUNT_BYTES)
    return null;
  return {
    mint: addressOf(account.data.subarray(0, 32)),
    owner: addressOf(account.data.subarray(32, 64)),
    amountBase: tokenAmount(account),
  };
}

/** The amount in a token account, in base units; 0 when it does not exist. */
export function tokenAmount(account: Account | null): bigint {
  if (account === null || account.data.length !== TOKEN_ACCOUNT_BYTES) return 0n;
  const { buffer, byteOffset, byteLength } = account.data;
  return new DataView(buffer, byteOffset, byteLength).getBigUint64(64, true);
}

export function tokenAccount(mint: string, owner: string, amountBase: bigint): Account {
  const data = new Uint8Array(TOKEN_ACCOUNT_BYTES);
  data.set(bytesOf(mint), 0);
  data.set(bytesOf(owner), 32);
  new DataView(data.buffer).setBigUint64(64, amountBase, true);
  data[108] = 1; // state: initialized
  return { lamports: rentExemptLamports(data.length), data, owner: TOKEN_PROGRAM, executable: false };
}

/** A mint that exists at genesis. */
export function mintAccount(authority: string, supplyBase: bigint, decimals: number): Account {
  const data = new Uint8Array(MINT_BYTES);
  const view = new DataView(data.buffer);
  view.setUint32(0, 1, true); // a mint authority follows
  data.set(bytesOf(authority), 4);
  view.setBigUint64(36, supplyBase, true);
  data[44] = decimals;
  data[45] = 1; // initialized
  return { lamports: rentExemptLamports(data.length), data, owner: TOKEN_PROGRAM, executable: false };
}
