/** The destination of a recording's lines, such as an `NdjsonFile`. */
export interface Sink {
  /** Takes a line without its newline. Throws when lines cannot be written. */
  line(text: string): void;
  /** Writes buffered lines. Throws when this or an earlier write fails. */
  flush(): void;
  /** Writes buffered lines and ends. Throws when they cannot be written. */
  close(): void;
}

/** Holds a recording in memory until it is read at its end. */
export class MemorySink implements Sink {
  readonly #parts: string[] = [];
  readonly #limit: number;
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  line(text: string): void {
    if (this.#size + text.length > this.#limit)
      throw new RangeError(`the recording would be longer than ${this.#limit} characters`);
    this.#parts.push(text);
    this.#size += text.length;
  }

  flush(): void {
    // Nothing is buffered.
  }

  close(): void {
    // Memory needs no closing.
  }

  text(): string {
    return this.#parts.length === 0 ? '' : `${this.#parts.join('\n')}\n`;
  }
}
