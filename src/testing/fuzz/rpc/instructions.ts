import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import type { Instruction, Role } from './message.js';

const SYSTEM = '11111111111111111111111111111111';
const BUDGET = 'ComputeBudget111111111111111111111111111111';
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const TABLES = 'AddressLookupTab1e1111111111111111111111111';
const RECENT_BLOCKHASHES = 'SysvarRecentB1ockHashes11111111111111111111';
const RENT = 'SysvarRent111111111111111111111111111111111';

/** The programs whose instructions a runtime counts as native. */
export const NATIVE_PROGRAMS: ReadonlySet<string> = new Set([SYSTEM, BUDGET]);

/** The sysvars of the clock and of recent slots. */
export const SYSVARS = {
  clock: 'SysvarC1ock11111111111111111111111111111111',
  slotHashes: 'SysvarS1otHashes111111111111111111111111111',
};

/** Bytes of a nonce account. Source: nonce/state of the Solana SDK. */
const NONCE_BYTES = 80;
/** Bytes of a lookup table before its addresses. Source: LOOKUP_TABLE_META_SIZE. */
const TABLE_HEADER_BYTES = 56;

/** The lamports that an account must hold. Source: docs.solana.com, Rent. */
function rentOf(bytes: number): bigint {
  return BigInt((128 + bytes) * 6_960);
}

export const NONCE_RENT = rentOf(NONCE_BYTES);

/** The lamports of a table with so many addresses. */
export function tableRent(addresses: number): bigint {
  return rentOf(TABLE_HEADER_BYTES + 32 * addresses);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

const writable = (address: string): Role => ({ address, writable: true });
const payer = (address: string): Role => ({ address, signer: true, writable: true });

/** A transfer of SOL. */
export function transferLamports(from: string, to: string, lamports: bigint): Instruction {
  return {
    program: SYSTEM,
    accounts: [payer(from), writable(to)],
    data: Buffer.concat([u32(2), u64(lamports)]),
  };
}

export function memo(text: string, signers: readonly string[]): Instruction {
  const accounts = signers.map((address) => ({ address, signer: true }));
  return { program: MEMO, accounts, data: Buffer.from(text, 'utf8') };
}

/** How many compute units the transaction may use. */
export function computeUnitLimit(units: number): Instruction {
  return { program: BUDGET, accounts: [], data: Buffer.concat([Uint8Array.of(2), u32(units)]) };
}

/** Millionths of a lamport for each unit. */
export function computeUnitPrice(micro: number): Instruction {
  return { program: BUDGET, accounts: [], data: Buffer.concat([Uint8Array.of(3), u64(BigInt(micro))]) };
}

/** The address that a wallet derives with a seed for an account of the system program. */
export function seededAddress(base: string, seed: string): string {
  const hash = createHash('sha256').update(bs58.decode(base)).update(seed).update(bs58.decode(SYSTEM));
  return bs58.encode(hash.digest());
}

/** Creates a nonce account at the seeded address of its authority. Source: SystemInstruction of the Solana SDK. */
export function createNonce(authority: string, seed: string): Instruction[] {
  const nonce = seededAddress(authority, seed);
  const text = Buffer.from(seed, 'utf8');
  const create = Buffer.concat([
    u32(3),
    bs58.decode(authority),
    u64(BigInt(text.length)),
    text,
    u64(NONCE_RENT),
    u64(BigInt(NONCE_BYTES)),
    bs58.decode(SYSTEM),
  ]);
  return [
    { program: SYSTEM, accounts: [payer(authority), writable(nonce)], data: create },
    {
      program: SYSTEM,
      accounts: [writable(nonce), { address: RECENT_BLOCKHASHES }, { address: RENT }],
      data: Buffer.concat([u32(6), bs58.decode(authority)]),
    },
  ];
}

/** Advances a nonce; as the first instruction it makes the nonce the lifetime of its transaction. */
export function advanceNonce(nonce: string, authority: string): Instruction {
  const accounts = [writable(nonce), { address: RECENT_BLOCKHASHES }, { address: authority, signer: true }];
  return { program: SYSTEM, accounts, data: u32(4) };
}

/** The address of an authority's lookup table, if the bump is right. */
export function tableAddress(authority: string, slot: bigint, bump: number): string {
  const hash = createHash('sha256')
    .update(bs58.decode(authority))
    .update(u64(slot))
    .update(Uint8Array.of(bump))
    .update(bs58.decode(TABLES))
    .update('ProgramDerivedAddress');
  return bs58.encode(hash.digest());
}

/** Creates a lookup table and fills it. Source: ProgramInstruction of the address lookup table program. */
export function createTable(
  authority: string,
  { slot, bump, addresses }: { slot: bigint; bump: number; addresses: readonly string[] },
): Instruction[] {
  const table = tableAddress(authority, slot, bump);
  const accounts = [
    writable(table),
    { address: authority, signer: true },
    payer(authority),
    { address: SYSTEM },
  ];
  const extend = Buffer.concat([
    u32(2),
    u64(BigInt(addresses.length)),
    ...addresses.map((address) => bs58.decode(address)),
  ]);
  return [
    { program: TABLES, accounts, data: Buffer.concat([u32(0), u64(slot), Uint8Array.of(bump)]) },
    { program: TABLES, accounts, data: extend },
  ];
}
