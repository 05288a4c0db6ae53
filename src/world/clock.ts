import { LAST_CLOCK_MS } from '../core/domain/calendar.js';

/** How the world's time moves: with the wall clock, not at all, or N simulated seconds in a real one. */
export type TimeMode =
  | { readonly kind: 'real' }
  | { readonly kind: 'frozen' }
  | { readonly kind: 'scaled'; readonly factor: number };

/** The most simulated seconds in a real one. */
export const MOST_FACTOR = 1e9;

/** Milliseconds of the machine's clock; only differences of it matter. */
export type WallClock = () => number;

/** A clock at one moment, as a value. */
export interface ClockSnapshot {
  readonly mode: TimeMode;
  readonly nowMs: number;
  readonly slotMs: number;
}

/** The one clock of a world, in whole milliseconds since 1970. It never runs backwards but by `restore`, and stands still at its end. */
export class Clock {
  readonly #wall: WallClock;
  /** When the world began. */
  readonly startMs: number;
  #mode: TimeMode;
  #baseMs: number;
  #baseWallMs: number;
  #lastMs: number;
  #baseSlotMs = 0;
  #changes = 0;
  #lastSlotMs = 0;
  /** Where the time stands for the work of the moment; null while it runs. */
  #stillMs: number | null = null;

  constructor(options: { wall: WallClock; mode: TimeMode; startMs: number }) {
    this.#wall = options.wall;
    this.#mode = options.mode;
    this.startMs = Math.min(Math.floor(options.startMs), LAST_CLOCK_MS);
    this.#baseMs = this.startMs;
    this.#baseWallMs = options.wall();
    this.#lastMs = this.#baseMs;
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
   * Milliseconds that slots have had: those of the wall while the clock runs, at any speed, and those of the world in jumps. A
   * world that runs at 60x has a slot each 400 ms all the same, or no client could keep a blockhash long enough to use it.
   */
  slotMs(): number {
    if (this.#mode.kind === 'frozen') return this.#baseSlotMs;
    const now = this.#baseSlotMs + (this.#wall() - this.#baseWallMs);
    if (now > this.#lastSlotMs) this.#lastSlotMs = now;
    return this.#lastSlotMs;
  }

  /** Runs work while whose synchronous part the time stands, so that all of it is at one instant. */
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

  /** How often the clock was set, to another instant or another way to move. */
  changes(): number {
    return this.#changes;
  }

  isFrozen(): boolean {
    return this.#mode.kind === 'frozen';
  }

  /** Changes how time moves; the instant stays. */
  setMode(mode: TimeMode): void {
    this.#rebase(this.nowMs(), this.slotMs());
    this.#mode = mode;
  }

  /** Jumps forward. Throws RangeError for an instant in the past, or beyond the last. */
  jumpTo(atMs: number): void {
    if (atMs < this.nowMs())
      throw new RangeError('the clock cannot run backwards; revert to a snapshot instead');
    const toMs = Math.floor(atMs);
    if (toMs > LAST_CLOCK_MS) throw new RangeError('the clock ends with the year 9999');
    this.#rebase(toMs, this.slotMs() + toMs - this.nowMs());
  }

  snapshot(): ClockSnapshot {
    return { mode: this.#mode, nowMs: this.nowMs(), slotMs: this.slotMs() };
  }

  restore(snapshot: ClockSnapshot): void {
    this.#rebase(Math.min(snapshot.nowMs, LAST_CLOCK_MS), snapshot.slotMs);
    this.#mode = snapshot.mode;
  }

  #rebase(nowMs: number, slotMs: number): void {
    this.#changes += 1;
    this.#stillMs = null;
    this.#baseMs = nowMs;
    this.#lastMs = nowMs;
    this.#baseSlotMs = slotMs;
    this.#lastSlotMs = slotMs;
    this.#baseWallMs = this.#wall();
  }
}
