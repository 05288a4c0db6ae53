import type { ByteReader } from './reader.js';

/** The members of a parsed instruction or account. */
export type Info = Readonly<Record<string, unknown>>;

/** The content of `parsed` for everything but memos. */
export interface Typed {
  readonly type: string;
  readonly info: Info;
}

/** The form of a parsed instruction: names for its first accounts, then what its data says. */
export interface Form {
  readonly type: string;
  /** An instruction with fewer accounts cannot be parsed; additional ones are omitted. */
  readonly accounts: readonly string[];
  readonly data?: (reader: ByteReader) => Info;
}

/** Parses an instruction, its data read past the instruction number, in a form; null when it lacks accounts or data. */
export function inForm(
  form: Form | undefined,
  accounts: readonly string[],
  reader: ByteReader,
): Typed | null {
  if (form === undefined || accounts.length < form.accounts.length) return null;
  const named = Object.fromEntries(form.accounts.map((name, at) => [name, accounts[at]]));
  const info = { ...named, ...form.data?.(reader) };
  return reader.failed ? null : { type: form.type, info };
}
