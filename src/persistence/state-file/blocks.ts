import { Reader, Writer } from './bytes.js';

/** How a sequence is stored in blocks. */
export interface Blocking<T> {
  /** Values per block. */
  readonly length: number;
  readonly write: (to: Writer, values: readonly T[]) => void;
  /** `first` is the index of the block's first value. */
  readonly read: (from: Reader, first: number) => readonly T[];
}

/** A sequence from a state file. Most values are never read, so a block is decoded on first access, as a whole. */
export class Blocks<T> {
  readonly #how: Blocking<T>;
  readonly #bytes: readonly Uint8Array[];
  readonly #read = new Map<number, readonly T[]>();

  constructor(how: Blocking<T>, bytes: readonly Uint8Array[]) {
    this.#how = how;
    this.#bytes = bytes;
  }

  /** Reads the blocks of a sequence of this size. */
  static from<T>(from: Reader, size: number, how: Blocking<T>): Blocks<T> {
    return new Blocks(
      how,
      Array.from({ length: Math.ceil(size / how.length) }, () => from.raw()),
    );
  }

  /** These blocks, all of which are full, and then others. */
  with(values: readonly (readonly T[])[]): Blocks<T> {
    const more = values.map((block) => {
      const to = new Writer();
      this.#how.write(to, block);
      return to.bytes();
    });
    return new Blocks(this.#how, [...this.#bytes, ...more]);
  }

  at(index: number): T {
    const { length } = this.#how;
    const number = Math.floor(index / length);
    let values = this.#read.get(number);
    if (values === undefined) {
      values = this.#how.read(new Reader(this.bytes(number)), number * length);
      this.#read.set(number, values);
    }
    return values[index % length] as T;
  }

  /** The bytes of a block by its number. */
  bytes(number: number): Uint8Array {
    return this.#bytes[number] as Uint8Array;
  }
}

/** Writes a sequence in blocks. `blocksOf` gives the blocks that a value came from, null for others: full ones are reused. */
export function writeBlocks<T>(
  to: Writer,
  {
    size,
    at,
    blocksOf,
  }: { size: number; at: (index: number) => T; blocksOf: (index: number) => Blocks<T> | null },
  { length, write }: Blocking<T>,
): void {
  for (let first = 0; first < size; first += length) {
    const end = first + length;
    // Sequences only grow at the end: one with a block's last value has all of it.
    const known = end <= size ? blocksOf(end - 1) : null;
    if (known !== null) {
      to.raw(known.bytes(first / length));
      continue;
    }
    const block = new Writer();
    write(
      block,
      Array.from({ length: Math.min(length, size - first) }, (_, n) => at(first + n)),
    );
    to.raw(block.bytes());
  }
}
