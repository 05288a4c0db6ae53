import { asJson, isObject } from '../../../core/json.js';
import type { BodyDifference, Wanted } from './difference.js';

/** A history record or a loan of a wallet, by its number from 0, oldest first. */
export interface Place {
  readonly wallet: string;
  readonly index: number;
}

/** What the first response that contains it decides: the id of a record or a loan, or the signature of a record's transaction. */
export type Told = 'recordId' | 'recordSignature' | 'loanId';

/** Facts that checks learn and look up. Ids belong to one world, so copies of a model learn independently. */
export interface Memory {
  /** Registers a text that may occur only once per world. Returns whether it is new. */
  isNew(text: string): boolean;
  /** Null until a response contains it. */
  told(what: Told, at: Place): string | null;
  learn(what: Told, at: Place, text: string): void;
  learnChallenge(text: string, of: { wallet: string; expiresMs: number }): void;
  learnToken(token: string, of: { wallet: string; expiresMs: number }): void;
  /** The service chose the other value for a yield that is too close to a whole base unit to predict. */
  learnYield(at: Place, differenceBase: bigint): void;
}

/** A member whose exact value is not known before the response. */
export class Check {
  /** Null when the value is valid; otherwise the expected value (a string is a description) or the difference. May learn the value. */
  readonly see: (actual: unknown, memory: Memory) => string | Wanted | BodyDifference | null;

  constructor(see: Check['see']) {
    this.see = see;
  }
}

export type Members = { readonly [member: string]: Tree };

/** An expected JSON value. */
export type Tree = string | number | boolean | null | Check | readonly Tree[] | Members;

export const AN_OBJECT: Wanted = { words: 'an object', matcher: { type: 'object' } };
export const A_TEXT: Wanted = { words: 'a text', matcher: { type: 'string', not: '' } };

/** A difference at the value itself; callers up to the body replace it with their path. */
export function differs(expected: Wanted, actual: unknown): BodyDifference {
  return { kind: 'body', path: [], expected, actual };
}

export function inside(part: string | number, difference: BodyDifference): BodyDifference {
  return { ...difference, path: [part, ...difference.path] };
}

/** An expected value, or its description when only part of it is known. */
function exactly(expected: Tree): Wanted {
  return hasCheck(expected) ? { words: JSON.stringify(expected) } : { value: expected };
}

function hasCheck(tree: Tree): boolean {
  if (typeof tree !== 'object' || tree === null) return false;
  return tree instanceof Check || Object.values(tree).some(hasCheck);
}

/** The first difference between expected and actual value; null for none. */
export function differenceOf(expected: Tree, received: unknown, memory: Memory): BodyDifference | null {
  if (typeof expected !== 'object' || expected === null) {
    if (expected === received) return null;
    const actual = asJson(received);
    return expected === actual ? null : differs({ value: expected }, actual);
  }
  const actual = asJson(received);
  if (expected instanceof Check) {
    const found = expected.see(actual, memory);
    if (found === null) return null;
    if (typeof found === 'string') return differs({ words: found }, actual);
    return 'kind' in found ? found : differs(found, actual);
  }
  if (Array.isArray(expected)) return listDifference(expected as readonly Tree[], actual, memory);
  return memberDifference(expected as Members, actual, memory);
}

function listDifference(expected: readonly Tree[], actual: unknown, memory: Memory): BodyDifference | null {
  const { length } = expected;
  if (!Array.isArray(actual)) return differs({ words: 'an array', matcher: { type: 'array' } }, actual);
  if (actual.length !== length) return differs({ words: `${length} items`, matcher: { length } }, actual);
  for (let at = 0; at < length; at += 1) {
    const difference = differenceOf(expected[at] ?? null, actual[at], memory);
    if (difference !== null) return inside(at, difference);
  }
  return null;
}

function memberDifference(expected: Members, actual: unknown, memory: Memory): BodyDifference | null {
  if (!isObject(actual)) return differs(AN_OBJECT, actual);
  let surplus = 0;
  for (const name in expected) {
    surplus -= 1;
    const wanted = expected[name] ?? null;
    const received = actual[name];
    const isMissing = received === undefined && !(wanted instanceof Check);
    const difference = isMissing
      ? differs(exactly(wanted), undefined)
      : differenceOf(wanted, received, memory);
    if (difference !== null) return inside(name, difference);
  }
  for (const name in actual) if (actual[name] !== undefined) surplus += 1;
  if (surplus === 0) return null;
  const extra = Object.keys(actual).find((name) => actual[name] !== undefined && !(name in expected)) ?? '';
  return inside(extra, differs({ words: 'nothing', matcher: { absent: true } }, actual[extra]));
}
