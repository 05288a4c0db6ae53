import { type Commitment, type ConfirmationDepths, SLOT_MS, slotAt } from './slots.js';

/** The chain's view of the world's clock. */
export interface ChainClock {
  nowMs(): number;
  /** Milliseconds that slots have had since the world began. */
  slotMs(): number;
  /** A frozen clock has a slot for each transaction, a running one a slot for each 400 ms. */
  isFrozen(): boolean;
}

/** The slots of a chain: read off the clock, and those that transactions had to themselves while it stood. */
export class SlotClock {
  readonly #clock: ChainClock;
  readonly #depths: ConfirmationDepths;
  #extra = 0;

  constructor(clock: ChainClock, depths: ConfirmationDepths) {
    this.#clock = clock;
    this.#depths = depths;
  }

  /** The current slot. */
  current(): number {
    return this.#extra + Math.floor(this.#clock.slotMs() / SLOT_MS);
  }

  /** The last slot that has a commitment. */
  at(commitment: Commitment): number {
    return slotAt(this.current(), commitment, this.#depths);
  }

  /** The slot that a transaction runs in now. */
  next(): number {
    return this.current() + (this.#clock.isFrozen() ? 1 : 0);
  }

  /** Real milliseconds until a slot begins by itself; infinite while the clock stands. */
  msUntil(slot: number): number {
    return this.#clock.isFrozen()
      ? Infinity
      : Math.max(0, (slot - this.#extra) * SLOT_MS - this.#clock.slotMs());
  }

  /** A transaction has run in a slot: it is the current one, or has passed. */
  passed(slot: number): void {
    this.#extra += Math.max(0, slot - this.current());
  }

  /** Slots that transactions had to themselves. */
  snapshot(): number {
    return this.#extra;
  }

  restore(snapshot: number): void {
    this.#extra = snapshot;
  }
}
