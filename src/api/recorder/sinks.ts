import { closeSync, fstatSync, openSync, write, writeSync } from 'node:fs';

/** Where the lines of a recording go. */
export interface Sink {
  /** Takes a line without its end. Throws when lines cannot be written. */
  line(text: string): void;
  /** Has what it has taken written soon. Throws when that, or something before it, cannot be written. */
  flush(): void;
  /** Ends it: what it has taken is written, and nothing is under way any more, when this resolves. Rejects when it cannot be written. */
  close(): Promise<void>;
  /** The process ends, which nothing can wait for: what it has taken is written when this returns. Throws when it cannot be written. */
  closeAtExit(): void;
}

/** So many bytes are written together. */
const KEPT_BYTES = 64 * 1_024;

/** UTF-8 has at most so many bytes for a character of JavaScript. */
const BYTES_A_CHARACTER = 3;

const LINE_END = 10;

/** Bytes and where they stand in a file. */
interface Piece {
  readonly bytes: Buffer;
  readonly at: number;
}

/**
 * A file, written anew. The system writes while the process goes on, one piece at a time: what is full in the meantime is written on
 * the spot, so that no more than two pieces are ever kept. Each piece has its place in the file, so it does no harm to write one twice.
 */
export class FileSink implements Sink {
  readonly #file: number;
  /** Whether pieces can have places; in a pipe they cannot, and are written one after the other. */
  readonly #hasPlaces: boolean;
  /** Lines that wait to be written; two places that are used again and again: new ones would be garbage. */
  #kept = Buffer.allocUnsafe(KEPT_BYTES);
  #spare = Buffer.allocUnsafe(KEPT_BYTES);
  #size = 0;
  /** Where in the file the lines that wait belong. */
  #at = 0;
  /** What the system is writing. */
  #underWay: Piece | null = null;
  #error: Error | null = null;
  #isWritten: (() => void) | null = null;
  #closing: Promise<void> | null = null;

  /** Throws Node's error when it cannot be opened. */
  constructor(path: string) {
    this.#file = openSync(path, 'w', 0o600);
    this.#hasPlaces = fstatSync(this.#file).isFile();
  }

  line(text: string): void {
    this.#check();
    const most = text.length * BYTES_A_CHARACTER + 1;
    if (most > KEPT_BYTES - this.#size) this.flush();
    if (most > KEPT_BYTES) {
      const bytes = Buffer.from(`${text}\n`);
      this.#writeNow({ bytes, at: this.#at });
      this.#at += bytes.length;
    } else {
      this.#size += this.#kept.write(text, this.#size);
      this.#kept[this.#size] = LINE_END;
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
    [this.#kept, this.#spare] = [this.#spare, this.#kept];
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
    // The end of the process may cut it short, and to write it twice does no harm.
    if (this.#underWay !== null) this.#writeNow(this.#underWay);
    this.#writeNow(this.#taken());
  }

  async #close(): Promise<void> {
    try {
      this.closeAtExit();
    } finally {
      // Whoever writes to the same file after this must not find it there.
      if (this.#underWay !== null)
        await new Promise<void>((resolve) => {
          this.#isWritten = resolve;
        });
      closeSync(this.#file);
    }
    this.#check();
  }

  /** The lines that wait, as a piece of the file. */
  #taken(): Piece {
    const piece = { bytes: this.#kept.subarray(0, this.#size), at: this.#at };
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
      // It is kept, and told with the next line.
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

  close(): Promise<void> {
    return Promise.resolve();
  }

  closeAtExit(): void {
    // Nothing of it stays.
  }

  text(): string {
    return this.#parts.length === 0 ? '' : `${this.#parts.join('\n')}\n`;
  }
}
