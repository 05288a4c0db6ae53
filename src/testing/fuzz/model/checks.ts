import bs58 from 'bs58';
import { A_TEXT, Check, type Members, type Memory, type Place, type Told, differenceOf } from './compare.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

export function isBase58(text: string, bytes: number): boolean {
  return text.length <= 2 * bytes && bs58.decodeUnsafe(text)?.length === bytes;
}

/** A text that fits the description `words`. */
function textThat(words: string, fits: (text: string) => boolean): Check {
  return new Check((actual) => (typeof actual === 'string' && fits(actual) ? null : words));
}

/** A non-empty text whose wording is not documented. */
export const SOME_TEXT = new Check((actual) => (typeof actual === 'string' && actual !== '' ? null : A_TEXT));

export function textWith(pattern: RegExp): Check {
  return textThat(`a text with ${String(pattern)}`, (text) => pattern.test(text));
}

/** A text that contains all the parts. */
export function textOf(parts: readonly string[]): Check {
  return textThat(`a text with ${parts.join(' and ')}`, (text) => parts.every((part) => text.includes(part)));
}

/** A text in the form of a signature. Its length in bytes is not checked. */
export const SIGNATURE_FORM = textThat('base58 of 64 bytes', (text) => SIGNATURE.test(text));

export function sameInstant(atMs: number): Check {
  const at = new Date(atMs).toISOString();
  return new Check((actual) =>
    typeof actual === 'string' && Date.parse(actual) === atMs
      ? null
      : { words: at, matcher: { between: [at, at] } },
  );
}

/** An object some of whose members are optional. */
export function withOptional(members: Members, optional: Members): Check {
  return new Check((actual, memory) => {
    const given = (typeof actual === 'object' && actual !== null ? actual : {}) as Record<string, unknown>;
    const present = Object.entries(optional).filter(([name]) => given[name] !== undefined);
    return differenceOf({ ...members, ...Object.fromEntries(present) }, actual, memory);
  });
}

/** A UUID that has not occurred before in this world. */
export const NEW_UUID = new Check((actual, memory) =>
  typeof actual === 'string' && UUID.test(actual) && memory.isNew(actual) ? null : 'a new UUID',
);

/** A text that is learned from the first response that contains it, must be new then, and must not change. */
function learned(what: Told, at: Place, words: string, fits: (text: string) => boolean): Check {
  return new Check((actual, memory) => {
    const known = memory.told(what, at);
    if (known !== null) return known === actual ? null : { value: known };
    if (typeof actual !== 'string' || !fits(actual) || !memory.isNew(actual)) return words;
    memory.learn(what, at, actual);
    return null;
  });
}

function begins(prefix: string): [words: string, fits: (text: string) => boolean] {
  const fits = (text: string) => text.startsWith(prefix) && text.length > prefix.length;
  return [`a new id that begins with ${prefix}`, fits];
}

/** The id of a history record. */
export function recordId(at: Place): Check {
  return learned('recordId', at, 'a new UUID', (text) => UUID.test(text));
}

/** The id of the history record of a repayment of a credit line, which is opaque. */
export function paymentId(at: Place): Check {
  return learned('recordId', at, ...begins('payment_'));
}

/** The signature of the transaction that carried out a transfer of the service. */
export function recordSignature(at: Place): Check {
  return learned('recordSignature', at, 'the signature of a new transaction', (text) => SIGNATURE.test(text));
}

/** The id of a credit line. Source: docs/reference/fidelity.md, Credit lines. */
export function loanId(at: Place): Check {
  return learned('loanId', at, ...begins('loan_'));
}

/** One of two adjacent values. `onSecond` is called when the service chose the second. */
export function oneOf<T extends number | string>(
  values: readonly [T, T],
  onSecond: (memory: Memory) => void = () => {},
): Check {
  return new Check((actual, memory) => {
    if (actual !== values[0] && actual === values[1]) onSecond(memory);
    return values.includes(actual as T) ? null : { words: values.join(' or '), matcher: { oneOf: values } };
  });
}
