import type { Part } from './secret-keys.js';

/** Dotted words, such as tokens. Written so that each is scanned once, whatever it looks like. */
const WORDS = /[\w.-]{37,}/g;
/** The prefix of a token, and the least lengths of its parts. */
const TOKEN_BEGIN = 'eyJ';
const HEAD_LENGTH = 11;
const CLAIMS_LENGTH = 8;
const SEAL_LENGTH = 16;
const CHALLENGE = /agent-bank-sim wants you to sign in[^"]*/g;
const SECRET_MEMBER = /(?<=secretKey["'\\\s]{0,4}[:=][\s"'\\]{0,4})[1-9A-HJ-NP-Za-km-z]{40,}/g;
/** Lists of numbers, and objects that JSON makes of bytes, as long as secret keys. */
const LIST = /\[[\d\s.,eE+-]{127,}\]/g;
const LONG_LIST = new RegExp(LIST.source);
const OBJECT = /\{\s*"\d{1,3}"\s*:\s*\d{1,3}(?:\s*,\s*"\d{1,3}"\s*:\s*\d{1,3}){63,}\s*\}/g;
const ESCAPE = /\\u([0-9a-fA-F]{4})/g;

const KEY_BYTES = 64;
/** Shorter texts contain nothing to redact. */
export const SHORTEST_HIDDEN = 37;

/** Whether a list in JSON may be the bytes of a key. */
function areBytes(list: string): boolean {
  const numbers = list.slice(1, -1).split(',').map(Number);
  return (
    numbers.length >= KEY_BYTES &&
    numbers.every((number) => Number.isInteger(number) && number >= 0 && number < 256)
  );
}

/** Whether a text may contain a list as long as a key. */
export function mayHoldBytes(text: string): boolean {
  return text.length >= 2 * KEY_BYTES && LONG_LIST.test(text);
}

/** Redacts lists of numbers that may be keys; `json` must not include strings. */
export function withoutLists(json: string): string {
  return json.length < 2 * KEY_BYTES
    ? json
    : json.replace(LIST, (list) => (areBytes(list) ? '["<secret>"]' : list));
}

/** Redacts objects of numbers that may be keys. */
export function withoutByteObjects(json: string): string {
  return json.includes('"63"') ? json.replace(OBJECT, '{"0":"<secret>"}') : json;
}

/** The positions of tokens in a text, also within longer words. */
export function tokensIn(text: string): Part[] {
  const found: Part[] = [];
  if (!text.includes(TOKEN_BEGIN)) return found;
  for (const { 0: words, index } of text.matchAll(WORDS)) {
    const parts = words.split('.');
    let from = index;
    for (let at = 0; at + 2 < parts.length; at += 1) {
      const [head, claims, seal] = parts.slice(at, at + 3) as [string, string, string];
      const begin = head.indexOf(TOKEN_BEGIN);
      const isOne =
        begin >= 0 &&
        head.length - begin >= HEAD_LENGTH &&
        claims.length >= CLAIMS_LENGTH &&
        seal.length >= SEAL_LENGTH;
      const to = from + head.length + claims.length + seal.length + 2;
      if (isOne) found.push({ from: from + begin, to });
      from += head.length + 1;
    }
  }
  return found;
}

interface Hidden extends Part {
  readonly by: string;
}

/** The parts of a text to redact, in order. */
function partsOf(text: string, keysIn: (text: string) => readonly Part[]): Hidden[] {
  const parts: Hidden[] = keysIn(text).map((part) => ({ ...part, by: '<secret>' }));
  const look = (pattern: RegExp, by: string, isIt: (match: string) => boolean = () => true) => {
    for (const { 0: match, index } of text.matchAll(pattern))
      if (isIt(match)) parts.push({ from: index, to: index + match.length, by });
  };
  parts.push(...tokensIn(text).map((part) => ({ ...part, by: '<token>' })));
  look(CHALLENGE, '<challenge>');
  if (text.includes('secretKey')) look(SECRET_MEMBER, '<secret>');
  if (mayHoldBytes(text)) look(LIST, '["<secret>"]', areBytes);
  if (text.includes('"63"')) look(OBJECT, '{"0":"<secret>"}');
  return parts.toSorted((a, b) => a.from - b.from);
}

/** A text without its JSON escapes, and the original position of each character. */
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

/** A redacted text; secrets are also found when parts of it are escaped as in JSON. */
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
