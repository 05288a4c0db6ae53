import { closeSync, openSync, writeSync } from 'node:fs';

/** Where the lines of a recording go. */
export interface Sink {
  /** Takes a line without its end. Throws when lines cannot be written. */
  line(text: string): void;
  /** Writes what it has taken. Throws when that cannot be written. */
  flush(): void;
  close(): void;
}

/** So many bytes are written together. */
const KEPT_BYTES = 256 * 1_024;

/** UTF-8 has at most so many bytes for a character of JavaScript. */
const BYTES_A_CHARACTER = 3;

const LINE_END = 10;

/** A file, written anew. Throws Node's error when it cannot be opened. */
export class FileSink implements Sink {
  readonly #file: number;
  /** Lines that wait to be written, in one place that is used again and again: a new one for each batch would be garbage. */
  readonly #kept = Buffer.allocUnsafe(KEPT_BYTES);
  #size = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'w', 0o600);
  }

  line(text: string): void {
    const most = text.length * BYTES_A_CHARACTER + 1;
    if (most > KEPT_BYTES - this.#size) this.flush();
    if (most > KEPT_BYTES) this.#write(Buffer.from(`${text}\n`));
    else {
      this.#size += this.#kept.write(text, this.#size);
      this.#kept[this.#size] = LINE_END;
      this.#size += 1;
    }
  }

  flush(): void {
    const lines = this.#kept.subarray(0, this.#size);
    this.#size = 0;
    this.#write(lines);
  }

  close(): void {
    closeSync(this.#file);
  }

  #write(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at);
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

  line(text: string): void {
    if (this.#size + text.length > this.#limit)
      throw new RangeError(`the recording would be longer than ${this.#limit} characters`);
    this.#parts.push(text);
    this.#size += text.length;
  }

  flush(): void {
    // All of it is there.
  }

  close(): void {
    // Nothing is open.
  }

  text(): string {
    return this.#parts.length === 0 ? '' : `${this.#parts.join('\n')}\n`;
  }
}
