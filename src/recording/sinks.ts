import { closeSync, openSync, writeSync } from 'node:fs';

/** Where the lines of a recording go. */
export interface Sink {
  /** Whole lines with their ends. Throws when they cannot be written. */
  write(lines: string): void;
  close(): void;
}

/** A file, written anew. Throws Node's error when it cannot be opened. */
export class FileSink implements Sink {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'w', 0o600);
  }

  write(lines: string): void {
    const bytes = Buffer.from(lines);
    for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** The memory of this process, for a recording that is fetched when it ends. */
export class MemorySink implements Sink {
  readonly #parts: string[] = [];
  readonly #limit: number;
  #size = 0;

  /** `limit` characters are kept at most. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  write(lines: string): void {
    if (this.#size + lines.length > this.#limit)
      throw new RangeError(`the recording would be longer than ${this.#limit} characters`);
    this.#parts.push(lines);
    this.#size += lines.length;
  }

  close(): void {
    // Nothing is open.
  }

  text(): string {
    return this.#parts.join('');
  }
}
