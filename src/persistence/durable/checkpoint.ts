import type { BankChanges, InFlightKey, InFlightWork } from '../../bank/in-flight-work.js';
import type { WorldSnapshot } from '../../runtime/snapshot-store.js';
import type { ClockSnapshot } from '../../world/clock.js';
import { lateTransfer, stored } from '../state-file/bank.js';
import { dueItem } from '../state-file/books.js';
import * as c from '../state-file/codec.js';
import { type Changes, always, fields } from '../state-file/field.js';
import { writeStateLater } from '../state-file/file.js';
import { world as worldCodec } from '../state-file/world.js';
import type { Frame } from './frames.js';
import { type PersistedWorld, ownSeed, stateConfig } from '../state.js';

/** A world as a data folder records it: its state, and its work in flight. */
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
  /** The number of the last event before it. */
  readonly lastEvent: number;
}

export const underWay = c.struct<InFlightWork>({
  transfers: c.pairs(c.text, lateTransfer),
  keys: c.array(c.struct<InFlightKey>({ id: c.text, stored, expiresMs: c.number })),
  due: c.array(dueItem),
});

const recovered = fields<RecoveredWorld>({
  snapshot: worldCodec,
  underWay: always(underWay, () => false),
  wallMs: always(c.number, () => false),
});

const record = c.struct<Changes>(recovered.changes);

export const CHANGES_LAYOUT = record.layout;

/** Whether two successive checkpoints of a world differ in anything but the time. */
export function hasChanged(before: Checkpoint, now: Checkpoint): boolean {
  return before.clockChanges !== now.clockChanges || recovered.hasChanged(before, now);
}

/** Encodes the difference between two checkpoints; the bank's reported changes lead from the earlier to the later. */
export function writeChanges(before: Checkpoint, now: Checkpoint, reported: BankChanges): Uint8Array {
  const changes = { ...reported };
  recovered.diff(before, now, changes);
  return c.encoded(record, changes);
}

/** Applies the output of `writeChanges`. Throws StateError for other bytes, and for changes that do not follow the world. */
export function applyChanges(value: RecoveredWorld, { payload }: Frame): RecoveredWorld {
  return recovered.apply(value, c.decoded(record, payload));
}

/** A file's first frame: a world as the bytes of a state file, and its work in flight. */
export const firstFrame = c.struct<Omit<RecoveredWorld, 'snapshot'> & { readonly state: Uint8Array }>({
  underWay,
  wallMs: c.number,
  state: c.bytes,
});

export function checkpointOf({ bank, clock, events, snapshots }: PersistedWorld): Checkpoint {
  return {
    snapshot: snapshots.captureWithoutAttached(),
    underWay: bank.underWay(),
    wallMs: Date.now(),
    clockChanges: clock.changes(),
    lastEvent: events.last,
  };
}

/** Encodes a checkpoint of a world as a first frame. */
export async function wholeWorld(world: PersistedWorld, checkpoint: Checkpoint): Promise<Uint8Array> {
  const { snapshot } = checkpoint;
  const whole = { config: stateConfig(world.config), snapshot, secretSeed: ownSeed(world) };
  return c.encoded(firstFrame, { ...checkpoint, state: await writeStateLater(whole) });
}

/**
 * A world's clock after the time in which no process ran it: a running clock has advanced at its speed, never backwards; a frozen clock has
 * not.
 */
export function clockNow({ snapshot: { clock }, wallMs }: RecoveredWorld): ClockSnapshot {
  const { mode, nowMs, slotMs, turns = [] } = clock;
  const passedMs = mode.kind === 'frozen' ? 0 : Math.max(0, Date.now() - wallMs);
  const factor = mode.kind === 'scaled' ? mode.factor : 1;
  const now = { nowMs: nowMs + Math.floor(passedMs * factor), slotMs: slotMs + passedMs };
  return { mode, ...now, turns: [...turns, { nowMs, slotMs }] };
}
