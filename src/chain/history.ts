import { firstWhere } from '../core/bisect.js';
import { List, Map as PMap } from 'immutable';
import type { BlocksAfterJumps } from './blocks.js';
import type { Account, Execution, TransactionError } from './engine.js';

/** An account before and after a transaction. */
export interface TouchedAccount {
  readonly address: string;
  readonly pre: Account | null;
  readonly post: Account | null;
}

/** An executed transaction, with everything that a cluster reports about it. */
export interface TransactionRecord {
  readonly kind: 'transaction';
  /** base58 of the first signature. */
  readonly signature: string;
  readonly bytes: Uint8Array;
  /** The number of signers: the first keys. */
  readonly requiredSignatures: number;
  /** Static keys, then keys loaded from lookup tables: writable ones first. */
  readonly accountKeys: readonly string[];
  readonly slot: number;
  readonly blockTimeSeconds: number;
  readonly error: TransactionError | null;
  readonly feeLamports: bigint;
  readonly execution: Execution;
  /** The writable accounts. */
  readonly touched: readonly TouchedAccount[];
}

/** Accounts that were written directly, bypassing transaction rules; empty for a record of the block only. */
export interface WriteRecord {
  readonly kind: 'write';
  readonly slot: number;
  /** Whether time has jumped: the slots between the previous record and this one have no block. */
  readonly isAfterJump: boolean;
  readonly blockTimeSeconds: number;
  readonly touched: readonly TouchedAccount[];
}

export type ChainRecord = TransactionRecord | WriteRecord;

/** Everything that happened on a chain, as a value: a snapshot is a reference. */
export interface History {
  readonly log: List<ChainRecord>;
  readonly bySignature: PMap<string, TransactionRecord>;
  /** Record numbers by account key, including read-only ones, for the first `indexedCount` records of the log. */
  readonly byAddress: PMap<string, List<number>>;
  /** Record numbers of direct writes, by account. */
  readonly writesByAddress: PMap<string, List<number>>;
  /** Numbers of the records that are not transactions. */
  readonly writes: List<number>;
  readonly indexedCount: number;
  readonly jumps: BlocksAfterJumps;
}

export const EMPTY_HISTORY: History = {
  log: List(),
  bySignature: PMap(),
  byAddress: PMap(),
  writesByAddress: PMap(),
  writes: List(),
  indexedCount: 0,
  jumps: List(),
};

export function append(history: History, record: ChainRecord): History {
  const log = history.log.push(record);
  if (record.kind === 'write')
    return { ...history, log, jumps: withJump(history.jumps, record, history.log.last()) };
  return { ...history, log, bySignature: history.bySignature.set(record.signature, record) };
}

/** A slot, and the instant at which time has jumped from or to it, in milliseconds since 1970. */
export interface JumpEnd {
  readonly slot: number;
  readonly ms: number;
}

/** The history after a jump of time: the slots in between have no block. */
export function appendJump(history: History, from: JumpEnd, to: JumpEnd): History {
  if (to.slot <= from.slot + 1) return history;
  const block = ({ slot, ms }: JumpEnd, isAfterJump: boolean): WriteRecord => {
    const blockTimeSeconds = Math.floor(ms / 1_000);
    return { kind: 'write', slot, isAfterJump, blockTimeSeconds, touched: [] };
  };
  const isKnown = (history.log.last()?.slot ?? 0) >= from.slot;
  return append(isKnown ? history : append(history, block(from, false)), block(to, true));
}

/** The jumps up to a record, after the record `previous`. */
export function withJump(
  jumps: BlocksAfterJumps,
  record: ChainRecord,
  previous: ChainRecord | undefined,
): BlocksAfterJumps {
  if (record.kind === 'transaction' || !record.isAfterJump) return jumps;
  const passed = record.slot - (previous?.slot ?? 0) - 1;
  return jumps.push({ slot: record.slot, skipped: (jumps.last()?.skipped ?? 0) + passed });
}

/** Brings the index by address up to date. Done lazily, since queries by address are rare. */
export function indexed(history: History): History {
  const { log, indexedCount } = history;
  if (indexedCount === log.size) return history;
  const byAddress = history.byAddress.asMutable();
  const writesByAddress = history.writesByAddress.asMutable();
  const writes = history.writes.asMutable();
  for (let at = indexedCount; at < log.size; at += 1) {
    const record = log.get(at) as ChainRecord;
    if (record.kind === 'write') writes.push(at);
    const [map, keys] =
      record.kind === 'write'
        ? [writesByAddress, record.touched.map(({ address }) => address)]
        : [byAddress, record.accountKeys];
    for (const key of keys) map.set(key, (map.get(key) ?? List<number>()).push(at));
  }
  return {
    ...history,
    byAddress: byAddress.asImmutable(),
    writesByAddress: writesByAddress.asImmutable(),
    writes: writes.asImmutable(),
    indexedCount: log.size,
  };
}

/** Whether two histories belong to the same chain: to snapshots of one world, or to its forks. */
export function haveCommonPrefix(a: History, b: History): boolean {
  return !a.log.isEmpty() && a.log.first() === b.log.first();
}

/** The addresses written by one of two histories after their common prefix. */
export function touchedSince(a: History, b: History): Set<string> {
  // Records are unique objects and histories only grow at the end, so the common prefix can be found by bisection.
  const common = firstWhere(Math.min(a.log.size, b.log.size), (at) => a.log.get(at) !== b.log.get(at));
  const addresses = new Set<string>();
  for (const { log } of [a, b]) {
    for (let at = common; at < log.size; at += 1) {
      for (const { address } of (log.get(at) as ChainRecord).touched) addresses.add(address);
    }
  }
  return addresses;
}
