import type { BankChanges, InFlightKey, InFlightWork } from '../../bank/in-flight-work.js';
import type { WorldSnapshot } from '../../runtime/snapshot-store.js';
import { lateTransfer, stored } from '../state-file/bank.js';
import { dueItem } from '../state-file/books.js';
import { array, decoded, encoded, number, pairs, struct, text } from '../state-file/codec.js';
import { type Changes, always, fields } from '../state-file/field.js';
import { world } from '../state-file/world.js';

export interface RecoveredWorld {
  readonly snapshot: WorldSnapshot;
  readonly underWay: InFlightWork;
  /** The machine's clock, in milliseconds since 1970: the time of a running world passes while no process runs it. */
  readonly wallMs: number;
}

/** The state of a world at one instant, including work in flight. */
export interface Checkpoint extends RecoveredWorld {
  /** How many times the world's clock was set; see `Clock.changes`. */
  readonly clockChanges: number;
}

export const underWay = struct<InFlightWork>({
  transfers: pairs(text, lateTransfer),
  keys: array(struct<InFlightKey>({ id: text, stored, expiresMs: number })),
  due: array(dueItem),
});

const recovered = fields<RecoveredWorld>({
  snapshot: world,
  underWay: always(underWay, () => false),
  wallMs: always(number, () => false),
});

const record = struct<Changes>(recovered.changes);

export const CHANGES_LAYOUT = record.layout;

/** Most records cover a few calls. */
const EXPECTED_BYTES = 2 * 1_024;

/** Whether two successive checkpoints of a world differ in anything but the time. */
export function hasChanged(before: Checkpoint, now: Checkpoint): boolean {
  return before.clockChanges !== now.clockChanges || recovered.hasChanged(before, now);
}

/** Encodes the difference between two checkpoints; the bank's reported changes lead from the earlier to the later. */
export function writeChanges(before: Checkpoint, now: Checkpoint, reported: BankChanges): Uint8Array {
  const changes = { ...reported };
  recovered.diff(before, now, changes);
  return encoded(record, changes, EXPECTED_BYTES);
}

/** Applies the output of `writeChanges`. Throws StateError for other bytes, and for changes that do not follow the world. */
export function applyChanges(value: RecoveredWorld, bytes: Uint8Array): RecoveredWorld {
  return recovered.apply(value, decoded(record, bytes));
}
