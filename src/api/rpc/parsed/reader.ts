import { isUtf8 } from 'node:buffer';
import { addressOf } from '../../../chain/solana/addresses.js';

const ADDRESS_BYTES = 32;

/** An integer as a JSON number: a bigint only where a number would lose digits. */
function jsonInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/**
 * Reads little-endian values one after another from untrusted bytes. Invalid input does not throw: it yields
 * an empty value and sets `failed`, which the caller checks once, at the end.
 */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;
  #failed = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Whether any value so far was missing or invalid. */
  get failed(): boolean {
    return this.#failed;
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  /** The offset of the next `length` bytes; null, and a failure, when there are fewer. */
  #take(length: number): number | null {
    if (length > this.remaining) {
      this.#failed = true;
      return null;
    }
    const at = this.#at;
    this.#at += length;
    return at;
  }

  bytes(length: number): Uint8Array {
    const at = this.#take(length);
    return at === null ? new Uint8Array(0) : this.#bytes.subarray(at, at + length);
  }

  u8(): number {
    const at = this.#take(1);
    return at === null ? 0 : this.#view.getUint8(at);
  }

  u16(): number {
    const at = this.#take(2);
    return at === null ? 0 : this.#view.getUint16(at, true);
  }

  i16(): number {
    const at = this.#take(2);
    return at === null ? 0 : this.#view.getInt16(at, true);
  }

  u32(): number {
    const at = this.#take(4);
    return at === null ? 0 : this.#view.getUint32(at, true);
  }

  u64(): bigint {
    const at = this.#take(8);
    return at === null ? 0n : this.#view.getBigUint64(at, true);
  }

  /** An unsigned integer of 16 bytes. */
  u128(): bigint {
    const low = this.u64();
    return low + (this.u64() << 64n);
  }

  /** An unsigned integer of 8 bytes for JSON. */
  json64(): number | bigint {
    return jsonInteger(this.u64());
  }

  /** A signed integer of 8 bytes for JSON. */
  jsonSigned64(): number | bigint {
    const at = this.#take(8);
    return at === null ? 0 : jsonInteger(this.#view.getBigInt64(at, true));
  }

  f64(): number {
    const at = this.#take(8);
    return at === null ? 0 : this.#view.getFloat64(at, true);
  }

  /** A byte that must be 0 or 1. */
  bool(): boolean {
    const value = this.u8();
    if (value > 1) this.#failed = true;
    return value === 1;
  }

  /** The name with the number in the next byte, or two. */
  variant(names: readonly string[], bytes: 1 | 2 = 1): string {
    const name = names[bytes === 1 ? this.u8() : this.u16()];
    if (name === undefined) this.#failed = true;
    return name ?? '';
  }

  address(): string {
    const bytes = this.bytes(ADDRESS_BYTES);
    return bytes.length === 0 ? '' : addressOf(bytes);
  }

  /** An address; null for 32 zeros. */
  addressUnlessZero(): string | null {
    const bytes = this.bytes(ADDRESS_BYTES);
    return bytes.every((byte) => byte === 0) ? null : addressOf(bytes);
  }

  /** An address preceded by a presence byte. */
  optionalAddress(): string | null {
    return this.bool() ? this.address() : null;
  }

  /** This many addresses; checked before anything is built, since the count is untrusted. */
  addresses(count: bigint): readonly string[] {
    if (count * BigInt(ADDRESS_BYTES) > BigInt(this.remaining)) {
      this.#failed = true;
      return [];
    }
    return Array.from({ length: Number(count) }, () => this.address());
  }

  /** Values one after another; their count comes first unless given. Reading stops at the first that is missing. */
  list<T>(read: (reader: this) => T, count = this.u64()): T[] {
    const found: T[] = [];
    for (let left = count; left > 0n && !this.#failed; left -= 1n) found.push(read(this));
    return found;
  }

  /** Solana's compact-u16: seven bits a byte. */
  compactU16(): number {
    let value = 0;
    for (let shift = 0; shift < 21; shift += 7) {
      const byte = this.u8();
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) === 0) return value;
    }
    this.#failed = true;
    return 0;
  }

  /** UTF-8 of this many bytes, strictly as Rust's `from_utf8`. */
  text(length: bigint | number): string {
    if (length > this.remaining) {
      this.#failed = true;
      return '';
    }
    const bytes = this.bytes(Number(length));
    if (isUtf8(bytes)) return Buffer.from(bytes).toString('utf8');
    this.#failed = true;
    return '';
  }
}
