import { inconsistent } from './state-error.js';

// Numbers within these bounds stay exact integers in a double when doubled and offset by the encoding.
const MOST = 2 ** 51;
const BIG_MOST = BigInt(MOST);
/** The initial capacity: most changes of a world are smaller. */
const FIRST_BYTES = 2 * 1_024;

/** The kind of recurring values that texts are. */
const TEXTS = {};

/** Encodes values as bytes: small numbers are short, and a recurring text is written once. */
export class Writer {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #at = 0;
  /** Of each kind, the numbers of the values written, by key. */
  readonly #shared = new Map<object, Map<unknown, number>>();

  /** The bytes written so far, valid until the next write. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  /** An integer from 0 to below 2^53: seven bits per byte. */
  count(value: number): void {
    if (this.#at + 8 > this.#bytes.length) this.#grow(8);
    let rest = value;
    while (rest >= 0x80) {
      const low = rest % 0x80;
      this.#bytes[this.#at] = low + 0x80;
      this.#at += 1;
      rest = (rest - low) / 0x80;
    }
    this.#bytes[this.#at] = rest;
    this.#at += 1;
  }

  /** Any number: integers of usual size are short, all others are doubles. */
  number(value: number): void {
    if (Number.isInteger(value) && value > -MOST && value < MOST && !Object.is(value, -0))
      return this.#small(value);
    this.count(0);
    this.#grow(8);
    this.#bytes.writeDoubleLE(value, this.#at);
    this.#at += 8;
  }

  big(value: bigint): void {
    if (value > -BIG_MOST && value < BIG_MOST) return this.#small(Number(value));
    this.count(0);
    const hex = (value < 0n ? -value : value).toString(16);
    this.count(value < 0n ? 1 : 0);
    this.raw(Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex'));
  }

  /** An integer within the bounds, from 1; 0 announces a number of another kind. */
  #small(value: number): void {
    this.count((value >= 0 ? value * 2 : -value * 2 - 1) + 1);
  }

  text(value: string): void {
    this.shared(TEXTS, value, () => {
      // A lone surrogate has no UTF-8; latin1 and UTF-16 together can encode every text.
      // oxlint-disable-next-line no-control-regex -- it asks which texts are within latin1
      const isLatin = /^[\u0000-\u00ff]*$/.test(value);
      const bytes = Buffer.from(value, isLatin ? 'latin1' : 'utf16le');
      this.count(bytes.length * 2 + (isLatin ? 0 : 1));
      this.#append(bytes);
    });
  }

  raw(value: Uint8Array): void {
    this.count(value.length);
    this.#append(value);
  }

  /** A recurring value: `write` encodes it the first time. Equal values of a kind have equal keys. */
  shared(kind: object, key: unknown, write: () => void): void {
    const all = this.#shared.get(kind) ?? new Map<unknown, number>();
    this.#shared.set(kind, all);
    const known = all.get(key);
    this.count(known ?? all.size);
    if (known !== undefined) return;
    all.set(key, all.size);
    write();
  }

  #append(value: Uint8Array): void {
    this.#grow(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
  }

  #grow(by: number): void {
    const needed = this.#at + by;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
    larger.set(this.bytes());
    this.#bytes = larger;
  }
}

const NO_BYTES = new Uint8Array(0);

/** Decodes the output of a `Writer`. Throws StateError for other bytes. */
export class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  readonly #shared = new Map<object, unknown[]>();

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Throws unless everything has been read. */
  end(): void {
    if (this.#at !== this.#bytes.length) throw inconsistent();
  }

  count(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#at];
    this.#at += 1;
    if (byte === undefined) throw inconsistent();
    if (byte < 0x80) return byte;
    let value = byte - 0x80;
    for (let scale = 0x80; scale <= 2 ** 49; scale *= 0x80) {
      byte = bytes[this.#at];
      this.#at += 1;
      if (byte === undefined) throw inconsistent();
      if (byte < 0x80) return value + byte * scale;
      value += (byte - 0x80) * scale;
    }
    throw inconsistent();
  }

  /** The number of elements that follow, each of at least one byte. */
  size(): number {
    const size = this.count();
    if (size > this.#bytes.length - this.#at) throw inconsistent();
    return size;
  }

  number(): number {
    const coded = this.count();
    if (coded > 0) return coded % 2 === 1 ? (coded - 1) / 2 : -coded / 2;
    return this.#take(8).readDoubleLE(0);
  }

  big(): bigint {
    const coded = this.count();
    if (coded > 0) return BigInt(coded % 2 === 1 ? (coded - 1) / 2 : -coded / 2);
    const isNegative = this.count() === 1;
    const value = BigInt(`0x0${this.#take(this.size()).toString('hex')}`);
    return isNegative ? -value : value;
  }

  text(): string {
    return this.shared(TEXTS, () => {
      const coded = this.count();
      const isLatin = coded % 2 === 0;
      const start = this.#pass((coded - (isLatin ? 0 : 1)) / 2);
      return this.#bytes.toString(isLatin ? 'latin1' : 'utf16le', start, this.#at);
    });
  }

  /** Bytes as a view of the input, which stays in memory with them. Thousands of copies would dominate the reading time. */
  raw(): Uint8Array {
    const size = this.size();
    if (size === 0) return NO_BYTES;
    const { buffer, byteOffset } = this.#bytes;
    // A plain Uint8Array: subarrays of a Buffer are Buffers.
    return new Uint8Array(buffer, byteOffset + this.#pass(size), size);
  }

  /** A recurring value of a kind: `read` decodes it the first time. */
  shared<T>(kind: object, read: () => T): T {
    const all = this.#shared.get(kind) ?? [];
    this.#shared.set(kind, all);
    const number = this.count();
    if (number < all.length) return all[number] as T;
    if (number > all.length) throw inconsistent();
    const value = read();
    all.push(value);
    return value;
  }

  #take(length: number): Buffer {
    const start = this.#pass(length);
    return this.#bytes.subarray(start, this.#at);
  }

  #pass(length: number): number {
    const start = this.#at;
    if (start + length > this.#bytes.length) throw inconsistent();
    this.#at = start + length;
    return start;
  }
}
