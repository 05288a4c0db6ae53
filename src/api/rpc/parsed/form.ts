import { addressOf } from '../../../chain/solana/addresses.js';
import { type ByteReader, type Layout, i64, u64 } from '../../../chain/solana/layout.js';

/** The members of a parsed instruction or account. */
export type Info = Readonly<Record<string, unknown>>;

/** The content of `parsed` for everything but memos. */
export interface Typed {
  readonly type: string;
  readonly info: unknown;
}

/** An integer as a JSON number: a bigint only where a number would lose digits. */
function jsonInteger(integer: Layout<bigint>): Layout<number | bigint> {
  return (reader) => {
    const value = integer(reader);
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  };
}

export const json64 = jsonInteger(u64);
export const jsonSigned64 = jsonInteger(i64);
export const u64Text: Layout<string> = (reader) => u64(reader).toString();

/** An address; null for 32 zeros. */
export function addressUnlessZero(reader: ByteReader): string | null {
  const bytes = reader.take(32);
  return bytes.every((byte) => byte === 0) ? null : addressOf(bytes);
}

/** The form of a parsed instruction: names for its first accounts, then the members of its data. */
export interface Form {
  readonly type: string;
  /** An instruction with fewer accounts cannot be parsed; additional ones are omitted. */
  readonly accounts: readonly string[];
  readonly data: Layout<Info>;
}

export function form(type: string, accounts: readonly string[], data: Layout<Info> = () => ({})): Form {
  return { type, accounts, data };
}

/** Parses an instruction by a form; its data starts after the instruction number. Null when it lacks accounts. Throws InvalidBytes. */
export function inForm(
  known: Form | undefined,
  accounts: readonly string[],
  reader: ByteReader,
): { readonly type: string; readonly info: Info } | null {
  if (known === undefined || accounts.length < known.accounts.length) return null;
  const named = Object.fromEntries(known.accounts.map((name, at) => [name, accounts[at]]));
  return { type: known.type, info: { ...named, ...known.data(reader) } };
}
