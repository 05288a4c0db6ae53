import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  addressOf,
  bytesOf,
} from './addresses.js';
import { programDerivedAddress } from './derived-address.js';
import type { Account } from './engine.js';
import type { AccountMeta, Instruction } from './wire.js';

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

const readonly = (address: string): AccountMeta => ({ address, signer: false, writable: false });
const writable = (address: string): AccountMeta => ({ address, signer: false, writable: true });
const signing = (address: string, isWritable: boolean): AccountMeta => ({
  address,
  signer: true,
  writable: isWritable,
});

/** System program: moves lamports. */
export function transferLamports(from: string, to: string, lamports: bigint): Instruction {
  const data = new Uint8Array(12);
  const view = new DataView(data.buffer);
  view.setUint32(0, 2, true);
  view.setBigUint64(4, lamports, true);
  return { program: SYSTEM_PROGRAM, accounts: [signing(from, true), writable(to)], data };
}

/** Token program: TransferChecked between associated token accounts, signed by the owner or a delegate. */
export function transferTokens(
  from: string,
  to: string,
  token: { mint: string; amountBase: bigint; decimals: number },
  authority = from,
): Instruction {
  const data = new Uint8Array(10);
  data[0] = 12;
  new DataView(data.buffer).setBigUint64(1, token.amountBase, true);
  data[9] = token.decimals;
  const accounts = [
    writable(associatedTokenAddress(from, token.mint)),
    readonly(token.mint),
    writable(associatedTokenAddress(to, token.mint)),
    signing(authority, false),
  ];
  return { program: TOKEN_PROGRAM, accounts, data };
}

/** Token program: Approve. The delegate may transfer up to that amount from the owner's associated token account. */
export function approveTokens(
  owner: string,
  delegate: string,
  mint: string,
  amountBase: bigint,
): Instruction {
  const data = new Uint8Array(9);
  data[0] = 4;
  new DataView(data.buffer).setBigUint64(1, amountBase, true);
  const accounts = [writable(associatedTokenAddress(owner, mint)), readonly(delegate), signing(owner, false)];
  return { program: TOKEN_PROGRAM, accounts, data };
}

/** Token program: SyncNative. Updates a wrapped-SOL account to the lamports that were sent to it. */
export function syncNative(account: string): Instruction {
  return { program: TOKEN_PROGRAM, accounts: [writable(account)], data: Uint8Array.of(17) };
}

/** Token program: MintTo an associated token account. */
export function mintTokens(authority: string, to: string, mint: string, amountBase: bigint): Instruction {
  const data = new Uint8Array(9);
  data[0] = 7;
  new DataView(data.buffer).setBigUint64(1, amountBase, true);
  const accounts = [writable(mint), writable(associatedTokenAddress(to, mint)), signing(authority, false)];
  return { program: TOKEN_PROGRAM, accounts, data };
}

/** Associated token program: CreateIdempotent. */
export function createTokenAccount(payer: string, owner: string, mint: string): Instruction {
  const accounts = [
    signing(payer, true),
    writable(associatedTokenAddress(owner, mint)),
    readonly(owner),
    readonly(mint),
    readonly(SYSTEM_PROGRAM),
    readonly(TOKEN_PROGRAM),
  ];
  return { program: ASSOCIATED_TOKEN_PROGRAM, accounts, data: Uint8Array.of(1) };
}

/**
 * Compute budget program: SetComputeUnitLimit. The bank varies it so that equal transfers differ in their bytes. The program ignores
 * accounts, so that the signatures of `signers` are required and do nothing else.
 */
export function computeUnitLimit(units: number, signers: readonly string[] = []): Instruction {
  const data = new Uint8Array(5);
  data[0] = 2;
  new DataView(data.buffer).setUint32(1, units, true);
  return { program: COMPUTE_BUDGET_PROGRAM, accounts: signers.map((each) => signing(each, false)), data };
}
