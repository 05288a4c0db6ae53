/** One input while it is under way: it has a place among the others from its first effect on, and is written when it is done. */
export class PendingLine {
  /** The world's time at which it was taken. */
  atMs: number;
  /** Where it has brought the clock; null while it has not moved it. */
  movedToMs: number | null = null;
  isPlaced = false;
  isDone = false;
  /** What it is under way for: the command, for those whose effects name no request. */
  readonly command: string | null;
  /** Called when its work begins. */
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

  /** Says how its line is made. */
  makes(line: () => string): void {
    this.#line = line;
  }

  /** Makes its line, without the end; called once, in the order of the lines. Empty while it has none. */
  line(): string {
    return this.#line?.() ?? '';
  }

  /** The line in the place of one that cannot be made, for a reason: nothing happens at it, and a replay says what is missing. */
  lineWithout(error: unknown): string {
    const why = error instanceof Error ? error.name : 'unknown';
    const missing = `what came here could not be written down (${why})`;
    return JSON.stringify({ at: this.atMs, kind: 'clock', missing });
  }

  /** It has come in; when a fault makes it wait, the time that this takes is its own. */
  arrived(isWaiting: boolean): void {
    this.atMs = this.#nowMs();
    this.#isFixed = isWaiting;
  }

  /** Runs the synchronous part of a work at one instant; what ends with it has had its effects. */
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
