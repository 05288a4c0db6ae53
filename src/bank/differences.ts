import { Amount } from '../core/domain/money.js';

/** The index of a leaf is one single-byte character. */
const MOST_LEAVES = 256;
/** The length of a text is two such characters. */
const LONGEST_TEXT = 65_535;
/** Shorter texts gain too little from packing. */
const SHORTEST_PACKED = 20;
/** Ids, signatures and digests; all are valid base64 in one of its two alphabets. */
const PACKABLE = /^(?:[A-Za-z0-9+/]+=?|[\w-]+)$/;

/** A value, decomposed once, so that others with the same members can be encoded by their differences. */
export type Form = Leaf | Branch;

interface Leaf {
  readonly names: null;
  readonly leaf: unknown;
}

interface Branch {
  readonly names: readonly string[];
  readonly isList: boolean;
  readonly members: readonly Form[];
}

/** Whether a value has members; amounts and bytes are leaves. */
function isBranch(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  return Object.getPrototypeOf(value) === Object.prototype || Array.isArray(value);
}

/** The form of a value. It shares no object with members with the value. */
export function formOf(value: unknown): Form {
  if (!isBranch(value) || Object.hasOwn(value, '__proto__')) return { names: null, leaf: value };
  const members = Object.values(value).map(formOf);
  return { names: Object.keys(value), isList: Array.isArray(value), members };
}

/** Packs a base64 text as the bytes that it encodes, in single-byte characters, after a digit for its variant. */
function packed(text: string): string {
  const hasEnd = text.endsWith('=');
  const length = hasEnd ? text.length - 1 : text.length;
  const missing = -length & 3;
  const isUrl = text.includes('-') || text.includes('_');
  const how = missing + (isUrl ? 4 : 0) + (hasEnd ? 8 : 0);
  const whole = hasEnd || missing > 0 ? text.slice(0, length).padEnd(length + missing, 'A') : text;
  return how.toString(16) + Buffer.from(whole, 'base64').toString('latin1');
}

function unpacked(text: string): string {
  const how = Number.parseInt(text[0] as string, 16);
  const whole = Buffer.from(text.slice(1), 'latin1').toString((how & 4) > 0 ? 'base64url' : 'base64');
  return whole.slice(0, whole.length - (how & 3)) + ((how & 8) > 0 ? '=' : '');
}

/** Encodes a leaf as text, tagged by its first character; null for values that cannot be encoded. */
function textOf(leaf: unknown): string | null {
  switch (typeof leaf) {
    case 'string':
      return leaf.length >= SHORTEST_PACKED && PACKABLE.test(leaf) ? packed(leaf) : `s${leaf}`;
    case 'number':
      return Object.is(leaf, -0) ? 'n-0' : `n${leaf}`;
    case 'bigint':
      return `i${leaf}`;
    case 'boolean':
      return leaf ? 't' : 'x';
    case 'undefined':
      return 'u';
    case 'object':
      if (leaf === null) return 'z';
      return leaf instanceof Amount ? `m${leaf.decimals},${leaf.units}` : null;
    case 'function':
    case 'symbol':
      return null;
  }
}

function leafOf(text: string): unknown {
  const rest = text.slice(1);
  switch (text[0]) {
    case 's':
      return rest;
    case 'n':
      return Number(rest);
    case 'i':
      return BigInt(rest);
    case 't':
      return true;
    case 'x':
      return false;
    case 'u':
      return undefined;
    case 'z':
      return null;
    case 'm': {
      const comma = rest.indexOf(',');
      return new Amount(BigInt(rest.slice(comma + 1)), Number(rest.slice(0, comma)));
    }
    default:
      return unpacked(text);
  }
}

function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  return a instanceof Amount && b instanceof Amount && a.units === b.units && a.decimals === b.decimals;
}

/** Collects the differences of a value from a form. */
class Search {
  #leaves = 0;
  readonly #pieces: string[] = [];
  /** The values of the leaves that differ. */
  readonly #values: unknown[] = [];

  /** False when members differ, or a differing leaf cannot be encoded. */
  compare(form: Form, value: unknown): boolean {
    if (form.names === null) return !isBranch(value) && this.#compareLeaf(form.leaf, value);
    if (!isBranch(value) || Array.isArray(value) !== form.isList) return false;
    const { names, members } = form;
    let at = 0;
    for (const name in value) {
      if (name !== names[at] || !this.compare(members[at] as Form, value[name])) return false;
      at += 1;
    }
    return at === names.length;
  }

  #compareLeaf(leaf: unknown, value: unknown): boolean {
    const place = this.#leaves;
    this.#leaves += 1;
    if (isSame(leaf, value)) return true;
    // Ids and signatures occur twice in a response.
    const before = typeof value === 'string' ? this.#values.indexOf(value) : -1;
    const text = before < 0 ? textOf(value) : `=${String.fromCharCode(before)}`;
    if (text === null || text.length > LONGEST_TEXT || place >= MOST_LEAVES) return false;
    this.#values.push(value);
    this.#pieces.push(String.fromCharCode(place, text.length >> 8, text.length & 0xff), text);
    return true;
  }

  text(): string {
    return this.#pieces.join('');
  }
}

/** Encodes a value by its differences from a form's; null when it does not match the form. */
export function differences(form: Form, value: unknown): string | null {
  const search = new Search();
  return search.compare(form, value) ? search.text() : null;
}

function made(form: Form, leafAt: (leaf: unknown) => unknown): unknown {
  if (form.names === null) return leafAt(form.leaf);
  const value: Record<string, unknown> | unknown[] = form.isList ? [] : {};
  for (let at = 0; at < form.members.length; at += 1)
    (value as Record<string, unknown>)[form.names[at] as string] = made(form.members[at] as Form, leafAt);
  return value;
}

/** Decodes what `differences` encoded. */
export function withDifferences(form: Form, text: string): unknown {
  const values: unknown[] = [];
  let [leaves, at] = [0, 0];
  return made(form, (leaf) => {
    const place = leaves;
    leaves += 1;
    if (at >= text.length || text.charCodeAt(at) !== place) return leaf;
    const end = at + 3 + text.charCodeAt(at + 1) * 256 + text.charCodeAt(at + 2);
    const encoded = text.slice(at + 3, end);
    at = end;
    const value = encoded[0] === '=' ? values[encoded.charCodeAt(1)] : leafOf(encoded);
    values.push(value);
    return value;
  });
}
