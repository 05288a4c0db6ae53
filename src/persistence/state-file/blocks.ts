import { Reader, Writer } from './bytes.js';

/** How a sequence is stored in blocks. */
export interface Blocking<T> {
  /** Values per block. */
  readonly length: number;
  readonly write: (to: Writer, values: readonly T[]) => void;
  /** `first` is the index of the block's first value. */
  readonly read: (from: Reader, first: number) => readonly T[];
}

/** Decoded blocks that are kept: an old one is decoded again when it is read again. */
const MOST_DECODED = 64;

/** The last blocks that were decoded, by their bytes. */
type DecodedBlocks<T> = Map<Uint8Array, readonly T[]>;

/** A sequence in blocks, such as one from a state file. Most values are never read, so a block is decoded on first access, as a whole. */
export class Blocks<T> {
  readonly #how: Blocking<T>;
  readonly #bytes: readonly Uint8Array[];
  readonly #decoded: DecodedBlocks<T>;

  private constructor(how: Blocking<T>, bytes: readonly Uint8Array[], decoded: DecodedBlocks<T>) {
    this.#how = how;
    this.#bytes = bytes;
    this.#decoded = decoded;
  }

  static empty<T>(how: Blocking<T>): Blocks<T> {
    return new Blocks(how, [], new Map());
  }

  static from<T>(from: Reader, size: number, how: Blocking<T>): Blocks<T> {
    const bytes = Array.from({ length: Math.ceil(size / how.length) }, () => from.raw());
    return new Blocks(how, bytes, new Map());
  }

  /** Values per block. */
  get length(): number {
    return this.#how.length;
  }

  /** These blocks, all of which are full, and then others. */
  with(values: readonly (readonly T[])[]): Blocks<T> {
    const more = values.map((block) => {
      const to = new Writer();
      this.#how.write(to, block);
      // A copy without the spare capacity of the writer.
      return new Uint8Array(to.bytes());
    });
    return new Blocks(this.#how, [...this.#bytes, ...more], this.#decoded);
  }

  at(index: number): T {
    const { length } = this.#how;
    const number = Math.floor(index / length);
    const bytes = this.bytes(number);
    let values = this.#decoded.get(bytes);
    if (values === undefined) {
      values = this.#how.read(new Reader(bytes), number * length);
      if (this.#decoded.size >= MOST_DECODED)
        this.#decoded.delete(this.#decoded.keys().next().value ?? bytes);
      this.#decoded.set(bytes, values);
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
