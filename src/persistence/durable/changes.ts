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

/** A challenge that was used. */
interface Used {
  readonly key: string;
  readonly expiresMs: number;
  readonly nowMs: number;
}

/** A call that was kept under its key. */
interface Kept extends Used {
  readonly stored: Stored;
}

/** Changes that a mark shows as a whole only, as the bank tells of them. */
export interface ChangeEvents {
  /** What was put back on the books, before everything else. */
  readonly again: readonly DueItem[];
  /** Sizes of the journal when something due was taken off the books. */
  readonly taken: readonly number[];
  readonly used: readonly Used[];
  readonly kept: readonly Kept[];
}

/** New entries; `first` is the number of the first one. */
interface Entries {
  readonly first: number;
  readonly entries: readonly Entry[];
}

/** What has happened from one moment of a world to a later one. A member that is null stays as it was. */
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

/** What was under way at a moment. */
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
  used: array(struct<Used>({ key: text, expiresMs: number, nowMs: number })),
  kept: array(struct<Kept>({ key: text, stored, expiresMs: number, nowMs: number })),
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

/** What the bytes of changes are made of. */
export const CHANGES_LAYOUT = changes.layout;

/** Most changes are of a few calls. */
const EXPECTED_BYTES = 2 * 1_024;

/** Entries of a journal. */
export function journalSize({ archive, recent }: JournalSnapshot): number {
  return (archive?.size ?? 0) + recent.size;
}

// One by one: a part of a long list takes longer to make than the few that are new take to find.
function after<T>(list: List<T>, size: number): T[] {
  const values: T[] = [];
  for (let at = size; at < list.size; at += 1) values.push(list.get(at) as T);
  return values;
}

function newEntries(before: JournalSnapshot, now: JournalSnapshot): Entries {
  const size = journalSize(before);
  return { first: size + 1, entries: after(now.recent, size - (now.archive?.size ?? 0)) };
}

/** What has happened between two moments of a world that went on from one to the other. */
export function diff(before: Checkpoint, now: Checkpoint, told: ChangeEvents): Changes {
  const [{ snapshot: was }, { snapshot: is }] = [before, now];
  const { bank, ground } = is;
  const since = <T>(value: T, old: T): T | null => (value === old ? null : value);
  return {
    again: told.again,
    taken: told.taken,
    used: told.used,
    kept: told.kept,
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

/** Changes as bytes. */
export function writeChanges(value: Changes): Uint8Array {
  const to = new Writer(EXPECTED_BYTES);
  changes.write(to, value);
  return to.bytes();
}

/** Changes read back. Throws StateError for what `writeChanges` does not write. */
export function readChanges(bytes: Uint8Array): Changes {
  const from = new Reader(bytes);
  const value = changes.read(from);
  from.end();
  return value;
}
