import type { InFlightWork } from '../../bank/in-flight-work.js';
import type { WorldSnapshot } from '../../runtime/snapshot-store.js';
import type { ClockSnapshot } from '../../world/clock.js';

/** The state of a world at one instant, including work in flight. */
export interface Checkpoint {
  readonly snapshot: WorldSnapshot;
  readonly underWay: InFlightWork;
  /** The machine's clock, in milliseconds since 1970: the time of a running world passes while no process runs it. */
  readonly wallMs: number;
  /** How often the world's clock was set; see `Clock.changes`. */
  readonly clockChanges: number;
}

/** Whether two successive checkpoints of a world differ in anything but the time. */
export function hasChanged(a: Checkpoint, b: Checkpoint): boolean {
  return (
    a.clockChanges !== b.clockChanges ||
    a.snapshot.seenMs !== b.snapshot.seenMs ||
    a.snapshot.walletsMade !== b.snapshot.walletsMade ||
    bankHasChanged(a.snapshot, b.snapshot) ||
    groundHasChanged(a.snapshot, b.snapshot) ||
    oracleHasChanged(a.snapshot, b.snapshot) ||
    faultsHaveChanged(a.snapshot, b.snapshot)
  );
}

function bankHasChanged({ bank: a }: WorldSnapshot, { bank: b }: WorldSnapshot): boolean {
  return (
    a.books.state !== b.books.state ||
    a.auth.issued !== b.auth.issued ||
    a.auth.used !== b.auth.used ||
    a.idempotency !== b.idempotency ||
    a.late !== b.late ||
    a.policy !== b.policy ||
    a.transfersSent !== b.transfersSent ||
    a.tokensIssued !== b.tokensIssued ||
    a.requestsIssued !== b.requestsIssued
  );
}

function groundHasChanged({ ground: a }: WorldSnapshot, { ground: b }: WorldSnapshot): boolean {
  return (
    a.chain.history.log !== b.chain.history.log ||
    a.chain.extraSlots !== b.chain.extraSlots ||
    a.faucet !== b.faucet ||
    a.fates !== b.fates
  );
}

/** Whether rates or prices differ. How far an index has caught up is not part of a world. */
export function oracleHasChanged({ oracle: a }: WorldSnapshot, { oracle: b }: WorldSnapshot): boolean {
  return a.told !== b.told || a.stale !== b.stale || a.out !== b.out;
}

/** Whether rules were added or cleared, or have matched a call. */
export function faultsHaveChanged({ faults: a }: WorldSnapshot, { faults: b }: WorldSnapshot): boolean {
  return a.faults !== b.faults || a.added !== b.added;
}

/**
 * The clock of a world resumed at `wallMs` that was persisted at `fromWallMs`, as if it had run meanwhile:
 * running time has passed, at its speed, and never backwards; frozen time has not.
 */
export function clockAfter(
  { mode, nowMs, slotMs }: ClockSnapshot,
  fromWallMs: number,
  wallMs: number,
): ClockSnapshot {
  const passedMs = mode.kind === 'frozen' ? 0 : Math.max(0, wallMs - fromWallMs);
  const factor = mode.kind === 'scaled' ? mode.factor : 1;
  return { mode, nowMs: nowMs + Math.floor(passedMs * factor), slotMs: slotMs + passedMs };
}
