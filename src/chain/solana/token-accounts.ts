import {
  ASSOCIATED_TOKEN_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  bytesOf,
  programDerivedAddress,
} from './addresses.js';
import type { Account } from '../engine.js';
import { type Layout, address, bool, fixedOption, readLayout, struct, u64, u8, variant } from './layout.js';

export const TOKEN_ACCOUNT_BYTES = 165;
export const MINT_BYTES = 82;

/** The rent epoch of rent-exempt accounts. Source: Agave's RENT_EXEMPT_RENT_EPOCH. */
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
  const derived = programDerivedAddress([owner, TOKEN_PROGRAM, mint], ASSOCIATED_TOKEN_PROGRAM);
  if (ofMint === undefined) atas.set(mint, new Map([[owner, derived]]));
  else {
    if (ofMint.size >= ATA_LIMIT) ofMint.clear();
    ofMint.set(owner, derived);
  }
  if (atas.size > MINT_LIMIT) atas.clear();
  return derived;
}

/** The states of a token account, by number. */
export const ACCOUNT_STATES = ['uninitialized', 'initialized', 'frozen'] as const;

// The layouts of token accounts and mints. Source: the SPL token program.
const HOLDING = { mint: address, owner: address, amountBase: u64 };
const AMOUNT_AT = 64;
const STATE_AT = 108;
const tokenAccountLayout = struct({
  ...HOLDING,
  delegate: fixedOption(address),
  state: variant(ACCOUNT_STATES),
  reserveBase: fixedOption(u64),
  delegatedBase: u64,
  closeAuthority: fixedOption(address),
});
const SUPPLY_AT = 36;
const mintLayout = struct({
  mintAuthority: fixedOption(address),
  supplyBase: u64,
  decimals: u8,
  isInitialized: bool,
  freezeAuthority: fixedOption(address),
});

/** The length of a multisig; no account with extensions has this length. */
export const MULTISIG_BYTES = 355;
const MINT_TYPE = 1;
const ACCOUNT_TYPE = 2;

/**
 * Reads an account of either token program, with the bytes of its extensions: behind zeros up to the length of a token account, and the type. Null
 * for other bytes. Source: `StateWithExtensions` of Token-2022.
 */
function readExtended<T>(data: Uint8Array, layout: Layout<T>, baseBytes: number, type: number) {
  const isPlain = data.length === baseBytes;
  if (!isPlain && (data.length <= TOKEN_ACCOUNT_BYTES || data.length === MULTISIG_BYTES)) return null;
  if (!isPlain && data[TOKEN_ACCOUNT_BYTES] !== type) return null;
  if (!isPlain && data.subarray(baseBytes, TOKEN_ACCOUNT_BYTES).some((byte) => byte !== 0)) return null;
  const base = readLayout(layout, data);
  return base === null
    ? null
    : { ...base, extensions: data.subarray(isPlain ? baseBytes : TOKEN_ACCOUNT_BYTES + 1) };
}

/** Reads an initialized token account of either token program; null for anything else. */
export function readTokenAccount(data: Uint8Array) {
  const read = readExtended(data, tokenAccountLayout, TOKEN_ACCOUNT_BYTES, ACCOUNT_TYPE);
  return read?.state === 'uninitialized' ? null : read;
}

/** Reads an initialized mint of either token program; null for anything else. */
export function readMint(data: Uint8Array) {
  const read = readExtended(data, mintLayout, MINT_BYTES, MINT_TYPE);
  return read?.isInitialized === true ? read : null;
}

/** A token account of either token program. */
export interface TokenBalance extends TokenHolding {
  readonly delegate: string | null;
  readonly programId: string;
}

function isOfTokenProgram(account: Account | null): account is Account {
  return account?.owner === TOKEN_PROGRAM || account?.owner === TOKEN_2022_PROGRAM;
}

/** Parses an initialized token account of either program, regardless of its extensions; null for any other account. */
export function tokenBalance(account: Account | null): TokenBalance | null {
  if (!isOfTokenProgram(account)) return null;
  const { owner: programId, data } = account;
  const read =
    programId === TOKEN_PROGRAM && data.length > TOKEN_ACCOUNT_BYTES ? null : readTokenAccount(data);
  if (read === null) return null;
  const { mint, owner, amountBase, delegate } = read;
  return { mint, owner, amountBase, delegate, programId };
}

/** The supply and decimals of a mint of either program; null for any other account. */
export function mintOf(account: Account | null): { supplyBase: bigint; decimals: number } | null {
  return isOfTokenProgram(account) ? readMint(account.data) : null;
}

export interface TokenHolding {
  readonly mint: string;
  readonly owner: string;
  readonly amountBase: bigint;
}

const holdingLayout = struct(HOLDING);

/** Parses a token account of the SPL token program; null for any other account. */
export function tokenHolding(account: Account | null): TokenHolding | null {
  if (account?.owner !== TOKEN_PROGRAM || account.data.length !== TOKEN_ACCOUNT_BYTES) return null;
  return readLayout(holdingLayout, account.data);
}

/** The amount in a token account, in base units; 0 when it does not exist. */
export function tokenAmount(account: Pick<Account, 'data'> | null): bigint {
  if (account === null || account.data.length !== TOKEN_ACCOUNT_BYTES) return 0n;
  const { buffer, byteOffset, byteLength } = account.data;
  return new DataView(buffer, byteOffset, byteLength).getBigUint64(AMOUNT_AT, true);
}

export function tokenAccount(mint: string, owner: string, amountBase: bigint): Account {
  const data = new Uint8Array(TOKEN_ACCOUNT_BYTES);
  data.set(bytesOf(mint), 0);
  data.set(bytesOf(owner), 32);
  new DataView(data.buffer).setBigUint64(AMOUNT_AT, amountBase, true);
  data[STATE_AT] = ACCOUNT_STATES.indexOf('initialized');
  return { lamports: rentExemptLamports(data.length), data, owner: TOKEN_PROGRAM, executable: false };
}

/** A mint that exists at genesis. */
export function mintAccount(authority: string, supplyBase: bigint, decimals: number): Account {
  const data = new Uint8Array(MINT_BYTES);
  const view = new DataView(data.buffer);
  view.setUint32(0, 1, true); // a mint authority follows
  data.set(bytesOf(authority), 4);
  view.setBigUint64(SUPPLY_AT, supplyBase, true);
  data[SUPPLY_AT + 8] = decimals;
  data[SUPPLY_AT + 9] = 1; // initialized
  return { lamports: rentExemptLamports(data.length), data, owner: TOKEN_PROGRAM, executable: false };
}

/** A mint after a change of its supply in base units. Throws RangeError for an impossible supply. */
export function withSupply(mint: Account, change: bigint): Account {
  const data = new Uint8Array(mint.data);
  const view = new DataView(data.buffer);
  const supply = view.getBigUint64(SUPPLY_AT, true) + change;
  if (supply < 0n || supply >= 2n ** 64n)
    throw new RangeError(`the supply of the mint would be ${supply} base units, which no mint can have`);
  view.setBigUint64(SUPPLY_AT, supply, true);
  return { ...mint, data };
}

/** A token account after a change of its amount in base units. */
export function withTokens(account: Account, change: bigint): Account {
  const data = new Uint8Array(account.data);
  const view = new DataView(data.buffer);
  view.setBigUint64(AMOUNT_AT, view.getBigUint64(AMOUNT_AT, true) + change, true);
  return { ...account, data };
}
