/** An input in flight: its place among the others is that of its first effect, and it is written when it is done. */
export class PendingLine {
  /** The world's time at which it took effect. */
  atMs: number;
  /** The instant that it has moved the clock to; null while it has not. */
  movedToMs: number | null = null;
  isPlaced = false;
  isDone = false;
  /** The command, to identify those whose events carry no request id. */
  readonly command: string | null;
  /** Called when its work starts. */
  onBegin: (() => void) | null = null;
  #isFixed = false;
  #line: (() => string) | null = null;
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

  /** Sets the function that creates its line. */
  makes(line: () => string): void {
    this.#line = line;
  }

  /** Creates its line, without the newline; called once, in the order of the lines. Empty without a function. */
  line(): string {
    return this.#line?.() ?? '';
  }

  /** Replaces a line that could not be created: a clock line without effect, by which a replay reports what is missing. */
  lineWithout(error: unknown): string {
    const why = error instanceof Error ? error.name : 'unknown';
    const missing = `what came here could not be written down (${why})`;
    return JSON.stringify({ at: this.atMs, kind: 'clock', missing });
  }

  /** Called when it is about to run; if a fault delays it (`isWaiting`), its time is that before the delay. */
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
