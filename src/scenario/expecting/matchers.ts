import { z } from 'zod';

/** What a value may be compared with by size: a number, or an instant as text. */
const bound = z.union([z.number(), z.string()]);

const JSON_TYPES = ['string', 'number', 'boolean', 'object', 'array', 'null'] as const;

const OBJECT_MATCHERS = {
  between: z.tuple([bound, bound]).describe('from the first to the second, both included'),
  above: bound.describe('greater than this'),
  below: bound.describe('less than this'),
  atLeast: bound.describe('this or more'),
  atMost: bound.describe('this or less'),
  near: z.number().describe('this, give or take `by`'),
  by: z.number().nonnegative().describe('of near; 1e-6 when left out'),
  matches: z
    .string()
    .refine(isPattern, 'is no regular expression')
    .describe('text in which this regular expression is found'),
  contains: z.unknown().describe('text with this in it, or a list with an element like this'),
  length: z.unknown().describe('how long a text or list is'),
  each: z.unknown().describe('every element of a list is like this'),
  oneOf: z.array(z.unknown()).min(1).describe('like one of these'),
  not: z.unknown().describe('not like this'),
  equals: z.unknown().describe('exactly this, with no other members'),
  absent: z.boolean().describe('true: there is no such member; false: there is one'),
  type: z.enum(JSON_TYPES).describe('of this JSON type'),
} as const;

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** Says in which ways a value may be right; all that are given must hold. */
export const matcherSchema = z
  .strictObject(OBJECT_MATCHERS)
  .partial()
  .refine(({ near, by }) => by === undefined || near !== undefined, 'by says how near: give near too');
export type Matcher = z.output<typeof matcherSchema>;

const WORDS = new Set(Object.keys(OBJECT_MATCHERS));

/** Whether an expected value is a matcher and not an object with members of these names. */
export function isMatcher(value: unknown): value is Matcher {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const names = Object.keys(value);
  // Records of the history have a member of that name.
  const { type } = value as { type?: unknown };
  if (type !== undefined && !(JSON_TYPES as readonly unknown[]).includes(type)) return false;
  return names.length > 0 && names.every((name) => WORDS.has(name));
}

/** What is wrong with the matchers in an expected value, and where; null when nothing is. References are taken for anything. */
export function badMatcher(
  expected: unknown,
  isOpen: (value: unknown) => boolean,
  path: readonly (string | number)[] = [],
): { path: readonly (string | number)[]; message: string } | null {
  if (typeof expected !== 'object' || expected === null) return null;
  if (isMatcher(expected)) {
    const issue = matcherSchema
      .safeParse(expected)
      .error?.issues.find((each) => !isOpen((expected as Record<string, unknown>)[String(each.path[0])]));
    if (issue !== undefined)
      return { path: [...path, ...(issue.path as (string | number)[])], message: issue.message };
  }
  for (const [name, member] of Object.entries(expected)) {
    const found = badMatcher(member, isOpen, [...path, Array.isArray(expected) ? Number(name) : name]);
    if (found !== null) return found;
  }
  return null;
}
