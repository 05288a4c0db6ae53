import { closeSync, fstatSync, openSync, write, writeSync } from 'node:fs';

/** The destination of a recording's lines. */
export interface Sink {
  /** Takes a line without its newline. Throws when lines cannot be written. */
  line(text: string): void;
  /** Starts writing buffered lines. Throws when that, or an earlier write, fails. */
  flush(): void;
  /** Resolves when everything is written and no write is in flight. Rejects when it cannot be written. */
  close(): Promise<void>;
  /** For the exit of the process, which cannot wait: buffered lines are written when it returns. Throws when they cannot be. */
  closeAtExit(): void;
}

const BUFFER_BYTES = 64 * 1_024;

/** The most bytes that UTF-8 takes per UTF-16 code unit. */
const BYTES_A_CHARACTER = 3;

const LINE_END = 10;

/** Bytes and their offset in a file. */
interface Piece {
  readonly bytes: Buffer;
  readonly at: number;
}

/**
 * A file, overwritten. One asynchronous write is in flight at a time; a buffer that fills up meanwhile is written
 * synchronously, so that at most two exist. Each write has its offset in the file, so that repeating one is harmless.
 */
export class FileSink implements Sink {
  readonly #file: number;
  /** Whether writes can have offsets; in a pipe they cannot, and are made one after the other. */
  readonly #hasPlaces: boolean;
  /** Buffered lines; two buffers are reused alternately, to produce no garbage. */
  #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #spare = Buffer.allocUnsafe(BUFFER_BYTES);
  #size = 0;
  /** The file offset of the buffered lines. */
  #at = 0;
  #underWay: Piece | null = null;
  #error: Error | null = null;
  #isWritten: (() => void) | null = null;
  #closing: Promise<void> | null = null;

  /** Throws Node's error when the file cannot be opened. */
  constructor(path: string) {
    this.#file = openSync(path, 'w', 0o600);
    this.#hasPlaces = fstatSync(this.#file).isFile();
  }

  line(text: string): void {
    this.#check();
    const most = text.length * BYTES_A_CHARACTER + 1;
    if (most > BUFFER_BYTES - this.#size) this.flush();
    if (most > BUFFER_BYTES) {
      const bytes = Buffer.from(`${text}\n`);
      this.#writeNow({ bytes, at: this.#at });
      this.#at += bytes.length;
    } else {
      this.#size += this.#buffer.write(text, this.#size);
      this.#buffer[this.#size] = LINE_END;
      this.#size += 1;
    }
  }

  flush(): void {
    this.#check();
    if (this.#size === 0) return;
    const piece = this.#taken();
    if (this.#underWay !== null || !this.#hasPlaces) {
      this.#writeNow(piece);
      return;
    }
    this.#underWay = piece;
    [this.#buffer, this.#spare] = [this.#spare, this.#buffer];
    write(this.#file, piece.bytes, 0, piece.bytes.length, piece.at, (error, count) => {
      this.#written(piece, error, count);
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  closeAtExit(): void {
    this.#check();
    // The exit may cut the write in flight short; repeating it is harmless.
    if (this.#underWay !== null) this.#writeNow(this.#underWay);
    this.#writeNow(this.#taken());
  }

  async #close(): Promise<void> {
    try {
      this.closeAtExit();
    } finally {
      // Otherwise it could overwrite what is written to the file after this.
      if (this.#underWay !== null)
        await new Promise<void>((resolve) => {
          this.#isWritten = resolve;
        });
      closeSync(this.#file);
    }
    this.#check();
  }

  /** The buffered lines, as a piece of the file. */
  #taken(): Piece {
    const piece = { bytes: this.#buffer.subarray(0, this.#size), at: this.#at };
    this.#at += this.#size;
    this.#size = 0;
    return piece;
  }

  #written(piece: Piece, error: Error | null, count: number): void {
    this.#underWay = null;
    this.#error ??= error;
    try {
      if (error === null) this.#writeNow({ bytes: piece.bytes.subarray(count), at: piece.at + count });
    } catch {
      // The error is stored, and thrown for the next line.
    }
    this.#isWritten?.();
  }

  #writeNow({ bytes, at }: Piece): void {
    try {
      for (let done = 0; done < bytes.length;)
        done += writeSync(this.#file, bytes, done, bytes.length - done, this.#hasPlaces ? at + done : null);
    } catch (error) {
      this.#error = error as Error;
      throw error;
    }
  }

  #check(): void {
    if (this.#error !== null) throw this.#error;
  }
}

/** Holds a recording in memory until it is fetched at its end. */
export class MemorySink implements Sink {
  readonly #parts: string[] = [];
  readonly #limit: number;
  #size = 0;

  /** `limit` is the most characters to hold. */
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

  close(): Promise<void> {
    return Promise.resolve();
  }

  closeAtExit(): void {
    // Memory ends with the process.
  }

  text(): string {
    return this.#parts.length === 0 ? '' : `${this.#parts.join('\n')}\n`;
  }
}
