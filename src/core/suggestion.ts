import { inspect } from 'node:util';
import { isObject } from './json.js';

/** The edit distance of two words: letters inserted, removed, replaced, or swapped with a neighbour. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  const cell = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          cell(i - 1, j) + 1,
          cell(i, j - 1) + 1,
          cell(i - 1, j - 1) + (isSame ? 0 : 1),
          isSwap ? cell(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return cell(a.length, b.length);
}

/** More edits than this, or than one per three letters, do not count as a typo. */
const MAX_EDITS = 3;

/** The known word that an unknown one probably means; null when none is close. */
export function nearest(word: string, known: readonly string[]): string | null {
  const lower = word.toLowerCase();
  const limit = Math.min(MAX_EDITS, Math.floor(word.length / 3));
  const [best] = known
    .filter((name) => Math.abs(name.length - word.length) <= limit)
    .map((name) => ({ name, edits: distance(lower, name.toLowerCase()) }))
    .filter(({ edits }) => edits <= limit)
    .toSorted((a, b) => a.edits - b.edits);
  return best?.name ?? null;
}

/** The hint for an unknown word, such as `; did you mean start?`; empty when no known word is close. */
export function suggestion(word: string, known: readonly string[]): string {
  const best = nearest(word, known);
  return best === null ? '' : `; did you mean ${best}?`;
}

/** The known words that begin like an unknown one; all of them when none does. */
export function likely(word: string, known: readonly string[]): string {
  const alike = known.filter((each) => each.startsWith(word.slice(0, 3)));
  return (alike.length > 0 ? alike : known).join(', ');
}

/** The hint for an unknown word: a suggestion, otherwise the likely words. */
export function hintOrLikely(word: string, known: readonly string[]): string {
  return suggestion(word, known) || `; there are ${likely(word, known)}`;
}

/** The first member that is given and not known, and the hint for it; null when there is none. */
function unknownMember(given: object, known: readonly string[]) {
  const [name] =
    Object.entries(given).find(([each, value]) => value !== undefined && !known.includes(each)) ?? [];
  if (name === undefined) return null;
  const others = known.length === 0 ? '.' : `; there are ${known.join(', ')}`;
  return { name, hint: suggestion(name, known) || others };
}

/** Throws RangeError for an unknown member of an input, and for an input without members, such as a number. */
export function checkKnown(input: unknown, known: readonly string[], what: string): void {
  if (!isObject(input))
    throw new RangeError(`must be an object with a member per ${what}: ${known.join(', ')}`);
  const unknown = unknownMember(input, known);
  if (unknown !== null) throw new RangeError(`${unknown.name}: there is no such ${what}${unknown.hint}`);
}

const MAX_SHOWN = 60;

/** The error for a value outside the allowed ones: `effect: cannot be lose-respose; did you mean lose-response?`. */
export function refusedValue(name: string, given: unknown, allowed: readonly string[]): string {
  const text = typeof given === 'string' ? given : inspect(given, { breakLength: Infinity, depth: 1 });
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return `${name}: cannot be ${shown}${suggestion(text, allowed) || '.'}`;
}

/** Throws TypeError for a member that is not known, which cannot be ignored, since the caller meant something by it; and for no object. */
export function checkMembers(what: string, given: object, known: readonly string[]): void {
  if (!isObject(given)) throw new TypeError(`${what} must be an object with ${known.join(', ')}`);
  const unknown = unknownMember(given, known);
  if (unknown !== null) throw new TypeError(`${unknown.name}: is not a member of ${what}${unknown.hint}`);
}

/** zod's message for an unknown member: a suggestion and, if its schema has them, the known members of its object. */
export function unknownMemberText({
  code,
  keys = [],
  inst,
}: {
  readonly code?: string;
  readonly keys?: readonly string[];
  readonly inst?: unknown;
}): string | undefined {
  if (code !== 'unrecognized_keys') return undefined;
  const [name = ''] = keys;
  const message = `there is no member ${keys.join(', ')} here`;
  const { shape } = inst as { readonly shape?: object };
  if (shape === undefined) return message;
  const known = Object.keys(shape);
  const hint = suggestion(name, known);
  return `${message}${hint === '' ? '; known' : `${hint} Known`} members: ${known.join(', ')}`;
}
