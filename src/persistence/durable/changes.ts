import type { List } from 'immutable';
import type { BankSnapshot } from '../../bank/bank.js';
import type { InFlightKey, Stored, InFlightWork } from '../../bank/in-flight-work.js';
import type { TransactionFaultsSnapshot } from '../../chain/transaction-faults.js';
import type { ChainRecord } from '../../chain/history.js';
import type { DueItem } from '../../core/domain/due.js';
import type { Entry } from '../../core/domain/entry.js';
import type { FaultsSnapshot } from '../../runtime/faults/faults.js';
import type { JournalSnapshot } from '../../core/journal/memory.js';
import { late, lateTransfer, policy, stored } from '../state-file/bank.js';
import { dueItem } from '../state-file/books.js';
import { Reader, Writer } from '../state-file/bytes.js';
import { records } from '../state-file/chain-log.js';
import { type Codec, array, nullable, number, struct, text } from '../state-file/codec.js';
import { ENTRIES_LAYOUT, readEntries, writeEntries } from '../state-file/entries.js';
import { fates } from '../state-file/ground.js';
import { clock, faults, oracle } from '../state-file/world.js';
import type { ClockSnapshot } from '../../world/clock.js';
import type { OracleSnapshot } from '../../world/oracle.js';
import { type Checkpoint, faultsHaveChanged, oracleHasChanged } from './checkpoint.js';

/** A used challenge. */
interface UsedChallenge {
  readonly key: string;
  readonly expiresMs: number;
  readonly nowMs: number;
}

/** A call stored under its idempotency key. */
interface StoredCall extends UsedChallenge {
  readonly stored: Stored;
}

/** Changes that comparing snapshots does not reveal, reported by the bank. */
export interface ChangeEvents {
  /** Due items put back on the books, before everything else. */
  readonly again: readonly DueItem[];
  /** The journal's size each time a due item was taken off the books. */
  readonly taken: readonly number[];
  readonly used: readonly UsedChallenge[];
  readonly kept: readonly StoredCall[];
}

/** New entries; `first` is the number of the first one. */
interface Entries {
  readonly first: number;
  readonly entries: readonly Entry[];
}

/** The difference between two checkpoints. A null member is unchanged. */
export interface Changes extends ChangeEvents {
  readonly clock: ClockSnapshot;
  readonly wallMs: number;
  readonly journal: Entries;
  readonly records: readonly ChainRecord[];
  readonly extraSlots: number;
  readonly faucet: number;
  readonly fates: TransactionFaultsSnapshot | null;
  readonly issued: number;
  readonly transfersSent: number;
  readonly tokensIssued: number;
  readonly requestsIssued: number;
  readonly late: BankSnapshot['late'] | null;
  readonly policy: BankSnapshot['policy'] | null;
  readonly oracle: OracleSnapshot | null;
  readonly faults: FaultsSnapshot | null;
  readonly seenMs: number;
  readonly walletsMade: number;
  readonly underWay: InFlightWork;
}

const entries: Codec<Entries> = {
  layout: `first ${ENTRIES_LAYOUT}`,
  write: (to, { first, entries: some }) => {
    to.count(first);
    writeEntries(to, some);
  },
  read: (from) => {
    const first = from.count();
    return { first, entries: readEntries(from, first) };
  },
};

/** Codec of work in flight at a checkpoint. */
export const underWay: Codec<InFlightWork> = struct<InFlightWork>({
  transfers: array<readonly [string, InFlightWork['transfers'][number][1]]>({
    layout: `${text.layout}:${lateTransfer.layout}`,
    write: (to, [signature, transfer]) => {
      text.write(to, signature);
      lateTransfer.write(to, transfer);
    },
    read: (from) => [text.read(from), lateTransfer.read(from)],
  }),
  keys: array(struct<InFlightKey>({ id: text, stored, expiresMs: number })),
  due: array(dueItem),
});

const changes: Codec<Changes> = struct<Changes>({
  clock,
  wallMs: number,
  journal: entries,
  again: array(dueItem),
  taken: array(number),
  used: array(struct<UsedChallenge>({ key: text, expiresMs: number, nowMs: number })),
  kept: array(struct<StoredCall>({ key: text, stored, expiresMs: number, nowMs: number })),
  records,
  extraSlots: number,
  faucet: number,
  fates: nullable(fates),
  issued: number,
  transfersSent: number,
  tokensIssued: number,
  requestsIssued: number,
  late: nullable(late),
  policy: nullable(policy),
  oracle: nullable(oracle),
  faults: nullable(faults),
  seenMs: number,
  walletsMade: number,
  underWay,
});

/** The layout of changes. */
export const CHANGES_LAYOUT = changes.layout;

/** Most changes cover a few calls. */
const EXPECTED_BYTES = 2 * 1_024;

/** The number of entries of a journal. */
export function journalSize({ archive, recent }: JournalSnapshot): number {
  return (archive?.size ?? 0) + recent.size;
}

// One by one: slicing a long list takes longer than looking up the few new elements.
function after<T>(list: List<T>, size: number): T[] {
  const values: T[] = [];
  for (let at = size; at < list.size; at += 1) values.push(list.get(at) as T);
  return values;
}

function newEntries(before: JournalSnapshot, now: JournalSnapshot): Entries {
  const size = journalSize(before);
  return { first: size + 1, entries: after(now.recent, size - (now.archive?.size ?? 0)) };
}

/** The difference between two checkpoints of a world, the later one reached from the earlier one. */
export function diff(before: Checkpoint, now: Checkpoint, events: ChangeEvents): Changes {
  const [{ snapshot: was }, { snapshot: is }] = [before, now];
  const { bank, ground } = is;
  const since = <T>(value: T, old: T): T | null => (value === old ? null : value);
  return {
    again: events.again,
    taken: events.taken,
    used: events.used,
    kept: events.kept,
    clock: is.clock,
    wallMs: now.wallMs,
    journal: newEntries(was.bank.books.entries, bank.books.entries),
    records: after(ground.chain.history.log, was.ground.chain.history.log.size),
    extraSlots: ground.chain.extraSlots,
    faucet: ground.faucet,
    fates: since(ground.fates, was.ground.fates),
    issued: bank.auth.issued,
    transfersSent: bank.transfersSent,
    tokensIssued: bank.tokensIssued,
    requestsIssued: bank.requestsIssued,
    late: since(bank.late, was.bank.late),
    policy: since(bank.policy, was.bank.policy),
    oracle: oracleHasChanged(was, is) ? is.oracle : null,
    faults: faultsHaveChanged(was, is) ? is.faults : null,
    seenMs: is.seenMs,
    walletsMade: is.walletsMade,
    underWay: now.underWay,
  };
}

/** Encodes changes. */
export function writeChanges(value: Changes): Uint8Array {
  const to = new Writer(EXPECTED_BYTES);
  changes.write(to, value);
  return to.bytes();
}

/** Decodes changes. Throws StateError for bytes that `writeChanges` does not produce. */
export function readChanges(bytes: Uint8Array): Changes {
  const from = new Reader(bytes);
  const value = changes.read(from);
  from.end();
  return value;
}
