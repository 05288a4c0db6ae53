import { isUtf8 } from 'node:buffer';
import { addressOf } from './addresses.js';

/** Bytes do not match the expected layout. */
export class InvalidBytes extends Error {
  override readonly name = 'InvalidBytes';

  constructor(
    message: string,
    readonly isCutShort = false,
  ) {
    super(message);
  }
}

/** A position in bytes that are read from front to back. */
export class ByteReader {
  readonly view: DataView;
  at = 0;

  constructor(readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get remaining(): number {
    return this.bytes.length - this.at;
  }

  /** Moves past bytes and returns the offset of the first. Throws InvalidBytes when there are fewer. */
  skip(length: number): number {
    if (length > this.remaining) throw new InvalidBytes('the bytes are cut short', true);
    const { at } = this;
    this.at += length;
    return at;
  }

  take(length: number): Uint8Array {
    const at = this.skip(length);
    return this.bytes.subarray(at, at + length);
  }
}

/** Reads one value, little-endian, from untrusted bytes. Throws InvalidBytes. */
export type Layout<T> = (reader: ByteReader) => T;

/** The value at the start of bytes; null when they do not have the layout. */
export function readLayout<T>(layout: Layout<T>, bytes: Uint8Array): T | null {
  try {
    return layout(new ByteReader(bytes));
  } catch (error) {
    if (error instanceof InvalidBytes) return null;
    throw error;
  }
}

/** The largest amount of lamports or tokens that an account can hold. */
export const MAX_U64 = 2n ** 64n - 1n;

/** The amount itself. Throws RangeError when no account can hold it: written into 64 bits it would be another amount. */
export function u64Amount(amountBase: bigint): bigint {
  if (amountBase >= 0n && amountBase <= MAX_U64) return amountBase;
  throw new RangeError(`no account on Solana can hold ${amountBase} base units; the most is ${MAX_U64}`);
}

export const u8: Layout<number> = (reader) => reader.view.getUint8(reader.skip(1));
export const u16: Layout<number> = (reader) => reader.view.getUint16(reader.skip(2), true);
export const i16: Layout<number> = (reader) => reader.view.getInt16(reader.skip(2), true);
export const u32: Layout<number> = (reader) => reader.view.getUint32(reader.skip(4), true);
export const u64: Layout<bigint> = (reader) => reader.view.getBigUint64(reader.skip(8), true);
export const i64: Layout<bigint> = (reader) => reader.view.getBigInt64(reader.skip(8), true);
export const address: Layout<string> = (reader) => addressOf(reader.take(32));

/** A byte that must be 0 or 1. */
export function bool(reader: ByteReader): boolean {
  const value = u8(reader);
  if (value > 1) throw new InvalidBytes('a flag is neither 0 nor 1');
  return value === 1;
}

/** Solana's compact-u16: seven bits per byte, at most three bytes, minimal encoding only. */
export function compactU16(reader: ByteReader): number {
  let value = 0;
  for (let shift = 0; shift < 21; shift += 7) {
    const byte = u8(reader);
    value |= (byte & 0x7f) << shift;
    if ((byte & 0x80) === 0) {
      if ((byte === 0 && shift > 0) || value > 0xffff) break;
      return value;
    }
  }
  throw new InvalidBytes('a length is not a compact-u16');
}

/** The name for the number that is read. */
export function variant<T extends string>(names: readonly T[], number: Layout<number> = u8): Layout<T> {
  return (reader) => {
    const name = names[number(reader)];
    if (name === undefined) throw new InvalidBytes('a number has no meaning');
    return name;
  };
}

/** UTF-8 after its length in bytes, as strict as Rust's `from_utf8`. */
export function text(length: Layout<number | bigint>): Layout<string> {
  return (reader) => {
    const bytes = reader.take(Number(length(reader)));
    if (!isUtf8(bytes)) throw new InvalidBytes('a text is not UTF-8');
    return Buffer.from(bytes).toString('utf8');
  };
}

/** Values after their count. Reading stops at the first missing value, since the count is untrusted. */
export function list<T>(item: Layout<T>, count: Layout<number | bigint> = u64): Layout<T[]> {
  return (reader) => {
    const found: T[] = [];
    for (let left = Number(count(reader)); left > 0; left -= 1) found.push(item(reader));
    return found;
  };
}

/** A value after a byte that says whether it is present; null when it is absent. */
export function option<T>(value: Layout<T>): Layout<T | null> {
  return (reader) => (bool(reader) ? value(reader) : null);
}

/** A value after four bytes, 0 or 1; its own bytes are always present. Source: COption of the token programs. */
export function fixedOption<T>(value: Layout<T>): Layout<T | null> {
  return (reader) => {
    const tag = u32(reader);
    if (tag > 1) throw new InvalidBytes('a flag is neither 0 nor 1');
    const read = value(reader);
    return tag === 1 ? read : null;
  };
}

type Members = Readonly<Record<string, Layout<unknown>>>;

/** Members in the order of their bytes. */
export function struct<T extends Members>(
  members: T,
): Layout<{ readonly [name in keyof T]: ReturnType<T[name]> }> {
  const entries = Object.entries(members);
  return (reader) => {
    const read: Record<string, unknown> = {};
    for (const [name, layout] of entries) read[name] = layout(reader);
    return read as { [name in keyof T]: ReturnType<T[name]> };
  };
}
