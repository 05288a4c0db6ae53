import { z } from 'zod';
import { isInstant } from '../../../core/domain/calendar.js';
import { nearest } from '../../../core/suggestion.js';
import { referencesIn } from '../references.js';

/** Bound for comparisons: a number, or an instant as text. */
const bound = z.union([
  z.number(),
  z.string().refine(isInstant, 'must be a number, or an instant such as 2026-01-31T12:00:00Z'),
]);

const JSON_TYPES = ['string', 'number', 'boolean', 'object', 'array', 'null'] as const;

const OBJECT_MATCHERS = {
  between: z.tuple([bound, bound]).describe('between the first and the second value, inclusive'),
  above: bound.describe('greater than this value'),
  below: bound.describe('less than this value'),
  atLeast: bound.describe('at least this value'),
  atMost: bound.describe('at most this value'),
  near: z.number().describe('within `by` of this'),
  by: z.number().nonnegative().describe('tolerance of near (default 1e-6)'),
  matches: z
    .string()
    .refine(isPattern, 'is not a regular expression')
    .describe('a text that matches this regular expression'),
  contains: z
    .unknown()
    .describe('a text that contains this text, or a list with an element that matches this value'),
  length: z.unknown().describe('length of a text or list'),
  each: z.unknown().describe('a list whose elements all match this'),
  oneOf: z.array(z.unknown()).min(1).describe('matches one of these'),
  not: z.unknown().describe('does not match this'),
  equals: z.unknown().describe('equals this value, with no additional members'),
  absent: z.boolean().describe('true: the member is absent; false: it is present'),
  type: z.enum(JSON_TYPES).describe('a value of this JSON type'),
} as const;

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** A matcher; all its conditions must hold. */
export const matcherSchema = z
  .strictObject(OBJECT_MATCHERS)
  .partial()
  .refine(
    ({ near, by }) => by === undefined || near !== undefined,
    'by is the tolerance of near: also give near',
  );
export type Matcher = z.output<typeof matcherSchema>;

const WORDS = new Set(Object.keys(OBJECT_MATCHERS));

/** Whether an expected value is a matcher rather than an object with members of these names. */
export function isMatcher(value: unknown): value is Matcher {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const names = Object.keys(value);
  // Records of the history have a member of that name.
  const { type } = value as { type?: unknown };
  if (type !== undefined && !(JSON_TYPES as readonly unknown[]).includes(type)) return false;
  return names.length > 0 && names.every((name) => WORDS.has(name));
}

/** Matchers that are never suggested for a mistyped name: too many members have similar names, such as `note` or `types`. */
const UNLIKELY = new Set(['by', 'not', 'type']);

/** The matcher that a mistyped name probably means; null for none. */
function wordLike(name: string): string | null {
  const given = name.replaceAll(/[-_ ]/g, '').toLowerCase();
  const words = [...WORDS].filter((word) => !UNLIKELY.has(word));
  const beginning = given.length < 5 ? undefined : words.find((word) => word.toLowerCase().startsWith(given));
  return nearest(given, words) ?? beginning ?? null;
}

const isOpen = (value: unknown): boolean => referencesIn(value).length > 0;

/** The first mistyped name in a probable matcher, and its correction; null for an ordinary object. */
function mistyped(expected: object): { name: string; word: string } | null {
  let first: { name: string; word: string } | null = null;
  for (const [name, value] of Object.entries(expected)) {
    if (WORDS.has(name)) continue;
    const word = wordLike(name);
    if (word === null) return null;
    const bounds = OBJECT_MATCHERS[word as keyof typeof OBJECT_MATCHERS];
    if (!isOpen(value) && !bounds.safeParse(value).success) return null;
    first ??= { name, word };
  }
  return first;
}

/** A problem of a matcher, and its path in an expected value. */
export interface BadMatcher {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The first invalid matcher in an expected value; null if there is none. References may have any value. */
export function badMatcher(expected: unknown, path: BadMatcher['path'] = []): BadMatcher | null {
  if (typeof expected !== 'object' || expected === null) return null;
  const slip = Array.isArray(expected) ? null : mistyped(expected);
  if (slip !== null) {
    const { name, word } = slip;
    return {
      path: [...path, name],
      message: `there is no matcher ${name}; did you mean ${word}? An object with a member ${name} must be expected with equals`,
    };
  }
  if (isMatcher(expected)) {
    const issue = matcherSchema
      .safeParse(expected)
      .error?.issues.find((each) => !isOpen((expected as Record<string, unknown>)[String(each.path[0])]));
    if (issue !== undefined)
      return { path: [...path, ...(issue.path as (string | number)[])], message: issue.message };
  }
  for (const [name, member] of Object.entries(expected)) {
    // The argument of `equals` is literal and contains no matchers.
    if (name === 'equals' && isMatcher(expected)) continue;
    const found = badMatcher(member, [...path, Array.isArray(expected) ? Number(name) : name]);
    if (found !== null) return found;
  }
  return null;
}
