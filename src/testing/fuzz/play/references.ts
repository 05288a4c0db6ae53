import { mapTexts } from '../../../core/json.js';
import type { Json } from '../step.js';

/** Values of unresolved references: well-formed, but unknown to bank and chain. */
const NOBODYS: Readonly<Record<string, string>> = {
  signature: '2'.repeat(88),
  token: 'no-token',
  challenge: 'no challenge',
  header: 'bm90aGluZw==',
  loan: 'loan_that_is_not',
};

export const REFERENCE = /\$\{([A-Za-z0-9_.]+)\}/g;

/** The value of an unresolvable reference; undefined for text that only looks like a reference. */
export function unresolvedValue(name: string): string | undefined {
  return NOBODYS[name.slice(name.lastIndexOf('.') + 1)];
}

/** Changes to a member of a payment request. */
const ALTERED: Readonly<Record<string, unknown>> = { null: null, number: 5, text: 'soon', gone: undefined };
export const ALTERATIONS = Object.keys(ALTERED);

/**
 * A value with its last character replaced: `${s3.challenge.flipped}`. A payment request header with one member changed:
 * `${s3.header.amount.null}`. Undefined for other names.
 */
export function altered(name: string, valueOf: (name: string) => string | undefined): string | undefined {
  if (name.endsWith('.flipped')) {
    const text = valueOf(name.slice(0, -'.flipped'.length));
    return text === undefined ? undefined : flipped(text);
  }
  const [, header = '', member = '', how = ''] = /^(\w+\.header)\.(\w+)\.(\w+)$/.exec(name) ?? [];
  const value = valueOf(header);
  if (value === undefined || !ALTERATIONS.includes(how)) return undefined;
  const request = JSON.parse(Buffer.from(value, 'base64').toString('utf8')) as object;
  return Buffer.from(JSON.stringify({ ...request, [member]: ALTERED[how] })).toString('base64');
}

/** Text of the same length that ends with another character; base58 stays base58. */
export function flipped(text: string): string {
  return text.slice(0, -1) + (text.endsWith('2') ? '3' : '2');
}

/** Replaces references in JSON by their values; returns the same object when there are none. */
export function resolved(json: Json, valueOf: (name: string) => string | undefined): Json {
  const inText = (text: string) =>
    text.replace(REFERENCE, (whole, name: string) => valueOf(name) ?? unresolvedValue(name) ?? whole);
  return mapTexts(json, inText) as Json;
}
