import { Cell } from '../core/snapshot.js';
import { type Commitment, type ConfirmationDepths, SLOT_MS, slotAt } from './slots.js';

/** A clock at an instant: milliseconds since 1970, and milliseconds that count towards slots. */
export interface ClockReading {
  readonly nowMs: number;
  readonly slotMs: number;
}

/** The world's clock as the chain uses it. */
export interface ChainClock {
  nowMs(): number;
  /** Milliseconds that count towards slots since the start of the world. */
  slotMs(): number;
  /** A frozen clock advances by one slot per transaction, a running clock by one slot per 400 ms. */
  isFrozen(): boolean;
  /** Readings since the last jump, oldest first; the last one is the present. Between two of them the clock ran evenly. */
  readings?(): readonly ClockReading[];
  /** Calls `listener` after each step of a jump over slots without a block, with the clock before it, and with null when the jump has ended. */
  onJump?(listener: (before: ClockReading | null) => void): void;
}

/** One member of a clock's readings where another one has a value. Before the first and after the last, both pass equally, as in a jump. */
function interpolated(
  readings: readonly ClockReading[],
  wanted: keyof ClockReading,
  where: keyof ClockReading,
  value: number,
): number {
  const at = readings.findIndex((reading) => reading[where] >= value);
  const next = readings.at(at) as ClockReading;
  const before = at > 0 ? readings[at - 1] : undefined;
  if (before === undefined) return next[wanted] + value - next[where];
  const share = (value - before[where]) / (next[where] - before[where]);
  return before[wanted] + share * (next[wanted] - before[wanted]);
}

/** The slots of a chain: derived from the clock, plus one for each transaction that ran while it was frozen. */
export class SlotClock {
  readonly #clock: ChainClock;
  readonly #depths: ConfirmationDepths;
  /** The number of slots added by transactions while the clock was frozen. */
  readonly extra = new Cell(0);

  constructor(clock: ChainClock, depths: ConfirmationDepths) {
    this.#clock = clock;
    this.#depths = depths;
  }

  /** The current slot. */
  current(): number {
    return this.when(this.#clock.slotMs());
  }

  /** The slot after a number of milliseconds that count towards slots. */
  when(slotMs: number): number {
    return this.extra.value + Math.floor(slotMs / SLOT_MS);
  }

  /** The slot at an instant that has passed. */
  atInstant(atMs: number): number {
    return this.when(interpolated(this.#readings(), 'slotMs', 'nowMs', atMs));
  }

  /** The instant at which a slot began, or will begin if time jumps there. */
  beginsMs(slot: number): number {
    const slotMs = (slot - this.extra.value) * SLOT_MS;
    return Math.ceil(interpolated(this.#readings(), 'nowMs', 'slotMs', slotMs));
  }

  /** The last slot that has reached a commitment. */
  at(commitment: Commitment): number {
    return slotAt(this.current(), commitment, this.#depths);
  }

  /** The slot in which the next transaction runs; not slot 0, which is final from the start. */
  next(): number {
    return Math.max(1, this.current() + (this.#clock.isFrozen() ? 1 : 0));
  }

  /** Wall-clock milliseconds until a slot begins by itself; infinite while the clock is frozen. */
  msUntil(slot: number): number {
    return this.#clock.isFrozen()
      ? Infinity
      : Math.max(0, (slot - this.extra.value) * SLOT_MS - this.#clock.slotMs());
  }

  #readings(): readonly ClockReading[] {
    return this.#clock.readings?.() ?? [{ nowMs: this.#clock.nowMs(), slotMs: this.#clock.slotMs() }];
  }

  /** Advances the current slot to the slot of an executed transaction, unless it is already past it. */
  passed(slot: number): void {
    this.extra.value += Math.max(0, slot - this.current());
  }
}
