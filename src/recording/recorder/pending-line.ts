import type { InputLine } from '../schema.js';

/** An input in flight. Its first effect determines its position, and it is written when it has ended. */
export class PendingLine {
  /** The world's time at which it took effect. */
  atMs: number;
  /** The instant to which it has moved the clock; null while it has not. */
  movedToMs: number | null = null;
  isPlaced = false;
  isDone = false;
  onBegin: (() => void) | null = null;
  /** Creates its line, in the order of the lines; null for an input without one. */
  make: () => InputLine | null = () => null;
  /** The command, to identify commands whose events carry no request id. */
  readonly command: string | null;
  #isFixed = false;
  readonly #nowMs: () => number;
  readonly #run: <T>(work: () => T) => T;
  readonly #place: (pending: PendingLine) => void;

  constructor(
    clock: { readonly nowMs: () => number; readonly still: <T>(work: () => T) => T },
    place: (pending: PendingLine) => void,
    command: string | null = null,
  ) {
    this.atMs = clock.nowMs();
    this.#nowMs = clock.nowMs;
    this.#run = clock.still;
    this.#place = place;
    this.command = command;
  }

  /** Its line. A bug in creating it loses this line only: a clock line without effect replaces it, and a replay reports the gap. */
  line(): InputLine | null {
    try {
      return this.make();
    } catch (error) {
      const why = error instanceof Error ? error.name : 'unknown';
      const missing = `this line could not be written (${why})`;
      return { at: this.atMs, kind: 'clock', missing };
    }
  }

  /** Called when it is about to run; if a fault delays it (`isWaiting`), its time is the time before the delay. */
  arrived(isWaiting: boolean): void {
    this.atMs = this.#nowMs();
    this.#isFixed = isWaiting;
  }

  /** Runs the synchronous part of `work` at one instant; if all of it was synchronous, its effects are complete. */
  still<T>(work: () => T): T {
    const result = this.#run(() => {
      if (!this.#isFixed) this.atMs = this.#nowMs();
      this.onBegin?.();
      return work();
    });
    if (!(result instanceof Promise)) this.#place(this);
    return result;
  }
}
