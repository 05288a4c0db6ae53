import bs58 from 'bs58';
import {
  A_TEXT,
  Check,
  type LoanPlace,
  type Memory,
  type RecordPlace,
  type Tree,
  differenceOf,
} from './compare.js';
import type { BodyDifference, Wanted } from './difference.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Limit of the cache of texts known to be base58 of a given length: addresses recur. */
const KNOWN_LIMIT = 1_000;
const byText = new Map<string, number>();

export function isBase58(text: string, bytes: number): boolean {
  if (text.length > 2 * bytes) return false;
  const before = byText.get(text);
  if (before !== undefined) return before === bytes;
  const length = bs58.decodeUnsafe(text)?.length ?? -1;
  if (byText.size >= KNOWN_LIMIT) byText.clear();
  byText.set(text, length);
  return length === bytes;
}

const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/** Whether a text looks like a base58 signature. Does not check its length in bytes. */
export function looksSigned(text: string): boolean {
  return SIGNATURE.test(text);
}

/** A non-empty text whose wording is the service's own. */
class SomeText extends Check {
  see(actual: unknown): Wanted | null {
    return typeof actual === 'string' && actual !== '' ? null : A_TEXT;
  }
}

/** A non-empty text whose wording is not documented. */
export const SOME_TEXT: Check = new SomeText();

export class TextWith extends Check {
  readonly #pattern: RegExp;

  constructor(pattern: RegExp) {
    super();
    this.#pattern = pattern;
  }

  see(actual: unknown): string | null {
    return typeof actual === 'string' && this.#pattern.test(actual)
      ? null
      : `a text with ${String(this.#pattern)}`;
  }
}

/** A text that contains all the parts. */
export class TextOf extends Check {
  readonly #parts: readonly string[];

  constructor(parts: readonly string[]) {
    super();
    this.#parts = parts;
  }

  see(actual: unknown): string | null {
    const has = (part: string) => typeof actual === 'string' && actual.includes(part);
    return this.#parts.every(has) ? null : `a text with ${this.#parts.join(' and ')}`;
  }
}

export class SameInstant extends Check {
  readonly #atMs: number;

  constructor(atMs: number) {
    super();
    this.#atMs = atMs;
  }

  see(actual: unknown): Wanted | null {
    if (typeof actual === 'string' && Date.parse(actual) === this.#atMs) return null;
    const at = new Date(this.#atMs).toISOString();
    return { words: at, matcher: { between: [at, at] } };
  }
}

/** An object some of whose members are optional. */
export class WithOptional extends Check {
  readonly #members: { readonly [member: string]: Tree };
  readonly #optional: { readonly [member: string]: Tree };

  constructor(members: { readonly [member: string]: Tree }, optional: { readonly [member: string]: Tree }) {
    super();
    this.#members = members;
    this.#optional = optional;
  }

  see(actual: unknown, memory: Memory): BodyDifference | null {
    const members = (typeof actual === 'object' && actual !== null ? actual : {}) as Record<string, unknown>;
    const present = Object.entries(this.#optional).filter(([name]) => members[name] !== undefined);
    return differenceOf({ ...this.#members, ...Object.fromEntries(present) }, actual, memory);
  }
}

/** A UUID that has not occurred before in this world. */
class NewUuid extends Check {
  see(actual: unknown, memory: Memory): string | null {
    return typeof actual === 'string' && UUID.test(actual) && memory.isNew(actual) ? null : 'a new UUID';
  }
}

export const NEW_UUID: Check = new NewUuid();

/** The id of a history record. It is learned from the first response that contains it, and must not change. */
export class RecordId extends Check {
  readonly #at: RecordPlace;
  readonly #prefix: string;

  /** `payment_` ids are opaque; all others are UUIDs. */
  constructor(at: RecordPlace, prefix = '') {
    super();
    this.#at = at;
    this.#prefix = prefix;
  }

  see(actual: unknown, memory: Memory): string | Wanted | null {
    const known = memory.recordId(this.#at);
    if (known !== null) return known === actual ? null : { value: known };
    const form = this.#prefix === '' ? 'a new UUID' : `a new id that begins with ${this.#prefix}`;
    if (typeof actual !== 'string') return form;
    const fits =
      this.#prefix === ''
        ? UUID.test(actual)
        : actual.startsWith(this.#prefix) && actual.length > this.#prefix.length;
    if (!fits || !memory.isNew(actual)) return form;
    memory.learnRecordId(this.#at, actual);
    return null;
  }
}

/** The signature of the transaction that carried out a transfer of the service. */
export class RecordSignature extends Check {
  readonly #at: RecordPlace;

  constructor(at: RecordPlace) {
    super();
    this.#at = at;
  }

  see(actual: unknown, memory: Memory): string | Wanted | null {
    const known = memory.recordSignature(this.#at);
    if (known !== null) return known === actual ? null : { value: known };
    if (typeof actual !== 'string' || !looksSigned(actual) || !memory.isNew(actual))
      return 'the signature of a new transaction';
    memory.learnRecordSignature(this.#at, actual);
    return null;
  }
}

/** The id of a credit line. Source: docs/reference/fidelity.md, Credit lines. */
export class LoanId extends Check {
  readonly #at: LoanPlace;

  constructor(at: LoanPlace) {
    super();
    this.#at = at;
  }

  see(actual: unknown, memory: Memory): string | Wanted | null {
    const known = memory.loanId(this.#at);
    if (known !== null) return known === actual ? null : { value: known };
    if (typeof actual !== 'string' || !/^loan_./.test(actual) || !memory.isNew(actual))
      return 'a new id that begins with loan_';
    memory.learnLoanId(this.#at, actual);
    return null;
  }
}

/** One of two adjacent values. The alternative is reported when it was chosen. */
export class OneOf<T extends number | string = number> extends Check {
  readonly #values: readonly [T, T];
  readonly #onSecond: ((memory: Memory) => void) | null;

  constructor(values: readonly [T, T], onSecond: ((memory: Memory) => void) | null = null) {
    super();
    this.#values = values;
    this.#onSecond = onSecond;
  }

  see(actual: unknown, memory: Memory): Wanted | null {
    if (actual === this.#values[0]) return null;
    if (actual !== this.#values[1])
      return { words: this.#values.join(' or '), matcher: { oneOf: this.#values } };
    this.#onSecond?.(memory);
    return null;
  }
}
