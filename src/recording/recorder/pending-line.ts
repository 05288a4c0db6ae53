import type { InputLine } from '../schema.js';

/** An input in flight. Its first effect determines its position, and it is written when it has ended. */
export class PendingLine {
  /** The instant to which it has moved the clock; null while it has not. */
  movedToMs: number | null = null;
  isPlaced = false;
  isDone = false;
  /** Creates its line, in the order of the lines; null for an input without one. */
  make: () => InputLine | null = () => null;

  constructor(
    /** The world's time at which it took effect. */
    public atMs: number,
    /** The command, to identify commands whose events carry no request id; null for other inputs. */
    readonly command: string | null,
  ) {}

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
}
