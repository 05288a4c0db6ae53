import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';

/** Lines are written together once they have this many characters: one system call per line would be too slow. */
const BATCH_CHARACTERS = 64 * 1_024;

/** A file of JSON values, one a line (NDJSON). Lines are written in batches; after a failed write, every call throws its error. */
export class NdjsonFile {
  readonly #file: number;
  #pending = '';
  #error: Error | null = null;
  #isClosed = false;

  /** Overwrites the file with `w`, appends on a new line with `a`. Throws Node's error when it cannot be opened. */
  constructor(path: string, flags: 'w' | 'a', mode?: number) {
    this.#file = openSync(path, flags === 'a' ? 'a+' : flags, mode);
    const last = Buffer.alloc(1);
    const { size } = fstatSync(this.#file);
    if (size > 0 && readSync(this.#file, last, 0, 1, size - 1) === 1 && last.toString() !== '\n')
      this.#pending = '\n';
  }

  /** Adds a line of JSON. */
  line(json: string): void {
    this.#check();
    this.#pending += `${json}\n`;
    if (this.#pending.length >= BATCH_CHARACTERS) this.flush();
  }

  /** Writes pending lines. */
  flush(): void {
    this.#check();
    const bytes = Buffer.from(this.#pending);
    this.#pending = '';
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at);
    } catch (error) {
      this.#error = error as Error;
      throw error;
    }
  }

  /** Writes pending lines and closes the file. */
  close(): void {
    if (!this.#isClosed) {
      this.#isClosed = true;
      try {
        this.flush();
      } finally {
        closeSync(this.#file);
      }
    }
    this.#check();
  }

  #check(): void {
    if (this.#error !== null) throw this.#error;
  }
}
