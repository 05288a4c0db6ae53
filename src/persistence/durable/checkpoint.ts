import { keySeed } from '../../runtime/key-seed.js';
import type { ClockSnapshot } from '../../world/clock.js';
import { bytes, encoded, number, struct } from '../state-file/codec.js';
import { writeStateLater } from '../state-file/file.js';
import { type PersistedWorld, stateConfig } from '../state.js';
import { type Checkpoint, type RecoveredWorld, underWay } from './changes.js';

/** A file's first frame: a world as the bytes of a state file, and its work in flight. */
type FirstFrame = Omit<RecoveredWorld, 'snapshot'> & { readonly state: Uint8Array };

export const firstFrame = struct<FirstFrame>({ underWay, wallMs: number, state: bytes });

/** The origin of secrets; null when they derive from the seed. */
export function ownSeed({ config, secretSeed }: PersistedWorld): string | null {
  return secretSeed === keySeed(config) ? null : secretSeed;
}

export function checkpointOf({ bank, clock, snapshots }: PersistedWorld): Checkpoint {
  return {
    snapshot: snapshots.captureUnchecked(),
    underWay: bank.underWay(),
    wallMs: Date.now(),
    clockChanges: clock.changes(),
  };
}

/** Rolls back to a checkpoint; time does not go back. */
export function restoreCheckpoint(
  { scheduler, snapshots }: PersistedWorld,
  checkpoint: Checkpoint,
): Promise<void> {
  scheduler.rollbackCount += 1;
  return snapshots.restore({ ...checkpoint.snapshot, clock: clockNow(checkpoint) });
}

/** Encodes a checkpoint of a world as a first frame. */
export async function wholeWorld(world: PersistedWorld, checkpoint: Checkpoint): Promise<Uint8Array> {
  const config = stateConfig(world.config);
  const state = await writeStateLater({
    config,
    snapshot: checkpoint.snapshot,
    secretSeed: ownSeed(world),
  });
  return encoded(firstFrame, { ...checkpoint, state }, state.length + 1_024);
}

/**
 * A world's clock after the time in which no process ran it: a running clock has advanced at its speed, never backwards; a frozen clock has
 * not.
 */
export function clockNow({ snapshot: { clock }, wallMs }: RecoveredWorld): ClockSnapshot {
  const { mode, nowMs, slotMs } = clock;
  const passedMs = mode.kind === 'frozen' ? 0 : Math.max(0, Date.now() - wallMs);
  const factor = mode.kind === 'scaled' ? mode.factor : 1;
  return { mode, nowMs: nowMs + Math.floor(passedMs * factor), slotMs: slotMs + passedMs };
}
