import { LAST_CLOCK_MS } from '../core/domain/calendar.js';

/** How simulated time advances: with the wall clock, not at all, or N times faster. */
export type TimeMode =
  | { readonly kind: 'real' }
  | { readonly kind: 'frozen' }
  | { readonly kind: 'scaled'; readonly factor: number };

/** Maximum number of simulated seconds per real second. */
export const MOST_FACTOR = 1e9;

/** Milliseconds of the machine's clock; only differences are used. */
export type WallClock = () => number;

interface Reading {
  readonly nowMs: number;
  readonly slotMs: number;
}

/** A clock at one instant, as a value. */
export interface ClockSnapshot extends Reading {
  readonly mode: TimeMode;
  /** Earlier readings, oldest first: what fell due before this instant may not be done yet. Files omit them. */
  readonly turns?: readonly Reading[];
}

/** Changes of the mode that are remembered. */
const MOST_TURNS = 100;

/** The single clock of a world, in whole milliseconds since 1970. Only `restore` sets it back; it stops at `LAST_CLOCK_MS`. */
export class Clock {
  readonly #wall: WallClock;
  readonly startMs: number;
  #mode: TimeMode;
  #baseMs: number;
  #baseWallMs: number;
  #lastMs: number;
  #baseSlotMs = 0;
  #changes = 0;
  #lastSlotMs = 0;
  /** The readings at which the clock was set since the last jump, oldest first. */
  #turns: readonly Reading[];
  #onJump: (before: ClockSnapshot | null) => void = () => undefined;
  /** The instant at which `still` holds a running clock; null otherwise. */
  #stillMs: number | null = null;

  constructor(options: { wall: WallClock; mode: TimeMode; startMs: number }) {
    this.#wall = options.wall;
    this.#mode = options.mode;
    this.startMs = Math.min(Math.floor(options.startMs), LAST_CLOCK_MS);
    this.#baseMs = this.startMs;
    this.#baseWallMs = options.wall();
    this.#lastMs = this.#baseMs;
    this.#turns = [{ nowMs: this.#baseMs, slotMs: 0 }];
  }

  nowMs(): number {
    if (this.#mode.kind === 'frozen') return this.#baseMs;
    if (this.#stillMs !== null) return this.#stillMs;
    const factor = this.#mode.kind === 'scaled' ? this.#mode.factor : 1;
    const passedMs = Math.floor((this.#wall() - this.#baseWallMs) * factor);
    const now = Math.min(this.#baseMs + passedMs, LAST_CLOCK_MS);
    if (now > this.#lastMs) this.#lastMs = now;
    return this.#lastMs;
  }

  /**
   * Milliseconds that count towards slots: wall-clock time while the clock runs, at any speed, plus simulated time skipped by jumps. A
   * world at 60x still has one slot per 400 ms, since clients could otherwise not use a blockhash before it expires.
   */
  slotMs(): number {
    if (this.#mode.kind === 'frozen') return this.#baseSlotMs;
    const now = this.#baseSlotMs + (this.#wall() - this.#baseWallMs);
    if (now > this.#lastSlotMs) this.#lastSlotMs = now;
    return this.#lastSlotMs;
  }

  /** Readings since the last jump, oldest first; the last one is the present. Between two of them the clock ran evenly. */
  readings(): Reading[] {
    return [...this.#turns, { nowMs: this.nowMs(), slotMs: this.slotMs() }];
  }

  /** Runs `work` with the clock held for its synchronous part, so that all of it happens at one instant. */
  still<T>(work: () => T): T {
    if (this.#stillMs !== null) return work();
    this.#stillMs = this.nowMs();
    try {
      return work();
    } finally {
      this.#stillMs = null;
    }
  }

  mode(): TimeMode {
    return this.#mode;
  }

  /** The number of times that the clock was set to another instant or another mode. */
  changes(): number {
    return this.#changes;
  }

  isFrozen(): boolean {
    return this.#mode.kind === 'frozen';
  }

  /** Changes how time advances; the current instant is unchanged. */
  setMode(mode: TimeMode): void {
    this.#rebase(this.nowMs(), this.slotMs(), this.#turns);
    this.#mode = mode;
  }

  /** Calls `listener` after each step of a jump over slots without a block, with the clock before it, and with null when the jump has ended. */
  onJump(listener: (before: ClockSnapshot | null) => void): void {
    this.#onJump = listener;
  }

  /**
   * Jumps forward, over slots that have no block unless `hasBlocks`. An instant that has passed changes nothing: a running clock may have
   * reached it between the decision to jump and the jump. Throws RangeError for an instant after `LAST_CLOCK_MS`.
   */
  jumpTo(atMs: number, { hasBlocks = false }: { readonly hasBlocks?: boolean | undefined } = {}): void {
    const toMs = Math.floor(atMs);
    if (toMs > LAST_CLOCK_MS) throw new RangeError('the clock ends with the year 9999');
    const before = this.snapshot();
    if (toMs <= before.nowMs) return;
    this.#rebase(toMs, before.slotMs + toMs - before.nowMs);
    if (!hasBlocks) this.#onJump(before);
  }

  /** Ends a jump, which may have had many steps. */
  endJump(): void {
    this.#onJump(null);
  }

  snapshot(): ClockSnapshot {
    return { mode: this.#mode, nowMs: this.nowMs(), slotMs: this.slotMs(), turns: this.#turns };
  }

  restore(snapshot: ClockSnapshot): void {
    this.#rebase(Math.min(snapshot.nowMs, LAST_CLOCK_MS), snapshot.slotMs, snapshot.turns);
    this.#mode = snapshot.mode;
  }

  #rebase(nowMs: number, slotMs: number, earlier: readonly Reading[] = []): void {
    this.#changes += 1;
    this.#stillMs = null;
    this.#baseMs = nowMs;
    this.#lastMs = nowMs;
    this.#baseSlotMs = slotMs;
    this.#lastSlotMs = slotMs;
    this.#turns = [...earlier.slice(-MOST_TURNS), { nowMs, slotMs }];
    this.#baseWallMs = this.#wall();
  }
}
