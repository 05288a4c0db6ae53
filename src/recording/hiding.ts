import type { Part } from './secret-keys.js';

/** A token anywhere, also within a longer text. */
export const TOKEN = /eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{16,}/g;
const CHALLENGE = /agent-bank-sim wants you to sign in[^"]*/g;
const SECRET_MEMBER = /(?<=secretKey["'\\\s]{0,4}[:=][\s"'\\]{0,4})[1-9A-HJ-NP-Za-km-z]{40,}/g;
/** Lists of numbers, and objects such as JSON makes of bytes, as long as secret keys. */
const LIST = /\[[\d\s.,eE+-]{127,}\]/g;
const LONG_LIST = new RegExp(LIST.source);
const OBJECT = /\{(?:\s*"\d{1,3}"\s*:\s*\d{1,3}\s*,?){64,}\s*\}/g;
const ESCAPE = /\\u([0-9a-fA-F]{4})/g;

const KEY_BYTES = 64;
/** A text that is shorter holds nothing of all this. */
export const SHORTEST_HIDDEN = 37;

/** Whether a list in JSON may be the bytes of a key. */
function areBytes(list: string): boolean {
  const numbers = list.slice(1, -1).split(',').map(Number);
  return (
    numbers.length >= KEY_BYTES &&
    numbers.every((number) => Number.isInteger(number) && number >= 0 && number < 256)
  );
}

/** Whether a text may hold a list as long as a key. */
export function mayHoldBytes(text: string): boolean {
  return text.length >= 2 * KEY_BYTES && LONG_LIST.test(text);
}

/** JSON without lists of numbers that may be keys; strings must not be part of it. */
export function withoutLists(json: string): string {
  return json.length < 2 * KEY_BYTES
    ? json
    : json.replace(LIST, (list) => (areBytes(list) ? '["<secret>"]' : list));
}

/** JSON without objects of numbers that may be keys. */
export function withoutByteObjects(json: string): string {
  return json.includes('"63"') ? json.replace(OBJECT, '{"0":"<secret>"}') : json;
}

interface Hidden extends Part {
  readonly by: string;
}

/** What is to be hidden in a text, in its order. */
function partsOf(text: string, keysIn: (text: string) => readonly Part[]): Hidden[] {
  const parts: Hidden[] = keysIn(text).map((part) => ({ ...part, by: '<secret>' }));
  const look = (pattern: RegExp, by: string, isIt: (match: string) => boolean = () => true) => {
    for (const { 0: match, index } of text.matchAll(pattern))
      if (isIt(match)) parts.push({ from: index, to: index + match.length, by });
  };
  if (text.includes('eyJ')) look(TOKEN, '<token>');
  look(CHALLENGE, '<challenge>');
  if (text.includes('secretKey')) look(SECRET_MEMBER, '<secret>');
  if (mayHoldBytes(text)) look(LIST, '["<secret>"]', areBytes);
  if (text.includes('"63"')) look(OBJECT, '{"0":"<secret>"}');
  return parts.toSorted((a, b) => a.from - b.from);
}

/** A text without the escapes of JSON, and where each of its characters stood. */
function unescaped(text: string): { readonly plain: string; readonly placeOf: (at: number) => number } {
  if (!text.includes('\\u')) return { plain: text, placeOf: (at) => at };
  const places: number[] = [];
  let plain = '';
  let done = 0;
  const take = (part: string) => {
    for (let at = 0; at < part.length; at += 1) places.push(done + at);
    plain += part;
  };
  for (const { 0: escape, 1: code, index } of text.matchAll(ESCAPE)) {
    take(text.slice(done, index));
    places.push(index);
    plain += String.fromCharCode(Number.parseInt(code as string, 16));
    done = index + escape.length;
  }
  take(text.slice(done));
  return { plain, placeOf: (at) => places[at] ?? text.length };
}

/** A text in which nothing is open that must be hidden, also when parts of it are written as JSON would escape them. */
export function hiddenIn(text: string, keysIn: (text: string) => readonly Part[]): string {
  if (text.length < SHORTEST_HIDDEN) return text;
  const { plain, placeOf } = unescaped(text);
  let hidden = '';
  let done = 0;
  for (const { from, to, by } of partsOf(plain, keysIn)) {
    const start = placeOf(from);
    if (start < done) continue;
    hidden += text.slice(done, start) + by;
    done = placeOf(to);
  }
  return hidden + text.slice(done);
}
