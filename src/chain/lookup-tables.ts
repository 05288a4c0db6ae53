import { LOOKUP_TABLE_PROGRAM, bytesOf } from './solana/addresses.js';
import { readLookupTable } from './solana/accounts.js';
import type { Account, Execution, TransactionError } from './engine.js';
import type { WireTransaction } from './solana/wire.js';

const NEVER = 2n ** 64n - 1n;
/** A deactivated table remains usable for the slots in SlotHashes. */
const COOL_DOWN_SLOTS = 512n;

export interface Loaded {
  readonly writable: readonly string[];
  readonly readonly: readonly string[];
}

export const NOTHING_LOADED: Loaded = { writable: [], readonly: [] };

/** The addresses of a table that a transaction at `slot` may use; a cluster's error when the table cannot be used. */
function addressesOf(account: Account | null, slot: number): readonly string[] | string {
  if (account === null) return 'AddressLookupTableNotFound';
  if (account.owner !== LOOKUP_TABLE_PROGRAM) return 'InvalidAddressLookupTableOwner';
  const table = readLookupTable(account.data);
  if (table === null) return 'InvalidAddressLookupTableData';
  const { deactivationSlot, lastExtendedSlot, lastExtendedSlotStartIndex, addresses } = table;
  if (deactivationSlot !== NEVER && BigInt(slot) > deactivationSlot + COOL_DOWN_SLOTS)
    return 'AddressLookupTableNotFound';
  // Addresses added in the current slot are not usable yet.
  return BigInt(slot) > lastExtendedSlot ? addresses : addresses.slice(0, lastExtendedSlotStartIndex);
}

/** Loads a transaction's addresses from its tables; a cluster's error when that fails. */
export async function loadAddresses(
  wire: WireTransaction,
  slot: number,
  accountOf: (address: string) => Promise<Account | null>,
): Promise<{ readonly loaded: Loaded } | { readonly error: TransactionError }> {
  const writable: string[] = [];
  const readonly: string[] = [];
  for (const lookup of wire.lookups) {
    const addresses = addressesOf(await accountOf(lookup.table), slot);
    if (typeof addresses === 'string') return { error: addresses };
    for (const [indices, into] of [
      [lookup.writable, writable],
      [lookup.readonly, readonly],
    ] as const) {
      for (const index of indices) {
        const loaded = addresses[index];
        if (loaded === undefined) return { error: 'InvalidAddressLookupTableIndex' };
        into.push(loaded);
      }
    }
  }
  const all = [...wire.keys, ...writable, ...readonly];
  if (new Set(all).size < all.length) return { error: 'AccountLoadedTwice' };
  return { loaded: { writable, readonly } };
}

/** A transaction without lookups: loaded addresses were inlined among the static ones. */
export interface FlatTransaction {
  readonly bytes: Uint8Array;
  readonly blockhashOffset: number;
  /** The index of each of its keys in the original transaction; null when nothing was loaded. */
  readonly original: readonly number[] | null;
}

function compactLength(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, value >> 7];
}

/**
 * Rewrites a transaction without lookups, so that engines need not know tables, slots and their hashes; they accept it although it
 * may exceed the size of a packet. Programs see the same accounts in the same order.
 */
export function flatten(wire: WireTransaction, loaded: Loaded): FlatTransaction {
  const count = wire.keys.length;
  const unsignedWritableEnd = count - wire.readonlyUnsigned;
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
  const loadedWritableEnd = count + loaded.writable.length;
  const original = [
    ...range(0, unsignedWritableEnd),
    ...range(count, loadedWritableEnd),
    ...range(unsignedWritableEnd, count),
    ...range(loadedWritableEnd, loadedWritableEnd + loaded.readonly.length),
  ];
  const flatIndex = new Map(original.map((from, to) => [from, to]));
  const index = (from: number) => flatIndex.get(from) as number;
  const all = [...wire.keys, ...loaded.writable, ...loaded.readonly];
  const head = Buffer.from([
    ...compactLength(wire.signatures.length),
    ...wire.signatures.flatMap((signature) => [...signature]),
    0x80,
    wire.requiredSignatures,
    wire.readonlySigned,
    wire.readonlyUnsigned + loaded.readonly.length,
    ...compactLength(original.length),
    ...original.flatMap((from) => [...bytesOf(all[from] as string)]),
  ]);
  const instructions = wire.instructions.flatMap(({ programIdIndex, accounts, data }) => [
    index(programIdIndex),
    ...compactLength(accounts.length),
    ...accounts.map(index),
    ...compactLength(data.length),
    ...data,
  ]);
  const tail = [...compactLength(wire.instructions.length), ...instructions, 0];
  const bytes = Buffer.concat([head, bytesOf(wire.blockhash), Buffer.from(tail)]);
  return { bytes, blockhashOffset: head.length, original };
}

/** An execution of a flattened transaction, read at once and translated to the indices of the original one. */
export function originalExecution(flat: Execution, original: readonly number[]): Execution {
  const { executed, error, logs, unitsConsumed, returnData } = flat;
  const index = (at: number) => original[at] ?? at;
  const innerInstructions =
    flat.innerInstructions?.map((list) =>
      list.map((inner) => ({
        ...inner,
        programIdIndex: index(inner.programIdIndex),
        accounts: inner.accounts.map(index),
      })),
    ) ?? null;
  return { executed, error: renamed(error, index), logs, unitsConsumed, returnData, innerInstructions };
}

function renamed(error: TransactionError | null, index: (at: number) => number): TransactionError | null {
  if (error === null || typeof error === 'string' || !('InsufficientFundsForRent' in error)) return error;
  const { account_index: at } = error['InsufficientFundsForRent'] as { account_index: number };
  return { InsufficientFundsForRent: { account_index: index(at) } };
}
