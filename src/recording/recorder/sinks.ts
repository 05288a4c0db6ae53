import type { NdjsonFile } from '../../core/ndjson-file.js';

/** The destination of a recording's lines: a file, or memory. */
export type Sink = Pick<NdjsonFile, 'line' | 'flush' | 'close'>;

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
