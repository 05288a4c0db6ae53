import { isDeepStrictEqual } from 'node:util';
import { Script, createContext } from 'node:vm';
import { parseInstant } from '../../../core/domain/calendar.js';
import { isObject, pathParts, valueAt } from '../../../core/json.js';
import { suggestion } from '../../../core/suggestion.js';
import type { Mismatch } from '../results.js';
import { type Matcher, isMatcher } from './matchers.js';

/** Time limit for matching a pattern. A slower pattern takes exponential time in the length of the text. */
const PATTERN_MS = 5_000;

const script = new Script("new RegExp(pattern, 'u').test(text)");
const context = createContext({ pattern: '', text: '' });

/** Whether a regular expression matches within a text; null if that takes longer than `limitMs`. */
export function findsPattern(pattern: string, text: string, limitMs = PATTERN_MS): boolean | null {
  Object.assign(context, { pattern, text });
  try {
    return script.runInContext(context, { timeout: limitMs }) as boolean;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null;
    throw error;
  }
}

const DEFAULT_TOLERANCE = 1e-6;

/** Formats a value briefly; long ones are cut. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? typeof value;
  return text.length <= 300 ? text : `${text.slice(0, 297)}…`;
}

function join(path: string, part: string | number): string {
  return path === '' ? String(part) : `${path}.${part}`;
}

/** Compares numbers by value and instants by time; NaN if not comparable. */
function difference(actual: unknown, bound: number | string): number {
  if (typeof bound === 'number') return typeof actual === 'number' ? actual - bound : Number.NaN;
  const [atMs, boundMs] = [typeof actual === 'string' ? parseInstant(actual) : null, parseInstant(bound)];
  return atMs === null || boundMs === null ? Number.NaN : atMs - boundMs;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function holds(actual: unknown, expected: unknown): boolean {
  return mismatches(actual, expected).length === 0;
}

function contains(actual: unknown, wanted: unknown): boolean {
  if (typeof actual === 'string') return typeof wanted === 'string' && actual.includes(wanted);
  return Array.isArray(actual) && actual.some((element) => holds(element, wanted));
}

/** For each matcher: whether a value satisfies it, and its description. */
const CHECKS: {
  readonly [W in Exclude<keyof Matcher, 'by'>]-?: (
    actual: unknown,
    bound: Exclude<Matcher[W], undefined>,
    matcher: Matcher,
  ) => readonly [boolean, string];
} = {
  between: (actual, [from, to]) => [
    difference(actual, from) >= 0 && difference(actual, to) <= 0,
    `between ${from} and ${to}`,
  ],
  above: (actual, bound) => [difference(actual, bound) > 0, `above ${bound}`],
  below: (actual, bound) => [difference(actual, bound) < 0, `below ${bound}`],
  atLeast: (actual, bound) => [difference(actual, bound) >= 0, `at least ${bound}`],
  atMost: (actual, bound) => [difference(actual, bound) <= 0, `at most ${bound}`],
  near: (actual, bound, { by = DEFAULT_TOLERANCE }) => [
    Math.abs(difference(actual, bound)) <= by,
    `${bound}, give or take ${by}`,
  ],
  matches: (actual, pattern) => {
    const found = typeof actual === 'string' && findsPattern(pattern, actual);
    const slow = found === null ? `, which was not found within ${PATTERN_MS / 1_000} s` : '';
    return [found === true, `text like /${pattern}/${slow}`];
  },
  contains: (actual, wanted) => [contains(actual, wanted), `a text or list that contains ${shown(wanted)}`],
  length: (actual, wanted) => {
    const length = typeof actual === 'string' || Array.isArray(actual) ? actual.length : undefined;
    return [holds(length, wanted), `of length ${described(wanted)}`];
  },
  each: (actual, wanted) => [
    Array.isArray(actual) && actual.every((element) => holds(element, wanted)),
    `a list whose elements are all ${described(wanted)}`,
  ],
  oneOf: (actual, choices) => [
    choices.some((choice) => holds(actual, choice)),
    `one of ${choices.map(described).join(', ')}`,
  ],
  not: (actual, unwanted) => [!holds(actual, unwanted), `not ${described(unwanted)}`],
  equals: (actual, wanted) => [isDeepStrictEqual(actual, wanted), `exactly ${shown(wanted)}`],
  absent: (actual, isAbsent) => [(actual === undefined) === isAbsent, isAbsent ? 'nothing' : 'something'],
  type: (actual, type) => [typeOf(actual) === type, `of type ${type}`],
};

type Check = (actual: unknown, bound: unknown, matcher: Matcher) => readonly [boolean, string];

function checksOf(matcher: Matcher, actual: unknown): (readonly [boolean, string])[] {
  return Object.entries(matcher)
    .filter(([word]) => word !== 'by')
    .map(([word, bound]) => (CHECKS as Readonly<Record<string, Check>>)[word]?.(actual, bound, matcher))
    .filter((checked) => checked !== undefined);
}

function isRecord(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export function described(expected: unknown): string {
  if (!isMatcher(expected)) return shown(expected);
  return checksOf(expected, undefined)
    .map(([, words]) => words)
    .join(', ');
}

/** A path to a value that ends with this path, at most `depth` members longer; null if there is none. */
function nestedPath(actual: unknown, path: string, depth: number): string | null {
  if (valueAt(actual, path) !== undefined) return path;
  if (depth === 0 || typeof actual !== 'object' || actual === null) return null;
  for (const [name, member] of Object.entries(actual)) {
    const nested = nestedPath(member, path, depth - 1);
    if (nested !== null) return join(name, nested);
  }
  return null;
}

/** The hint for a path that leads to no value, because a member has another name or is nested; empty when there is no such member. */
function hintFor(actual: object, path: string): string {
  let [parent, rest]: [unknown, readonly string[]] = [actual, pathParts(path)];
  while (isObject(parent)) {
    const [name = '', ...more] = rest;
    if (!Object.hasOwn(parent, name)) {
      const hint = suggestion(name, Object.keys(parent));
      const nested = hint === '' ? nestedPath(actual, path, 2) : null;
      return nested === null ? hint : `; did you mean ${nested}?`;
    }
    [parent, rest] = [parent[name], more];
  }
  return '';
}

/** The mismatches of the expected members of an object, whose names may be paths. */
export function memberMismatches(actual: object, expected: object, path = ''): Mismatch[] {
  return Object.entries(expected).flatMap(([name, member]) => {
    const value = Object.hasOwn(actual, name)
      ? (actual as Record<string, unknown>)[name]
      : valueAt(actual, name);
    const found = mismatches(value, member, join(path, name));
    if (value !== undefined || found.length === 0) return found;
    const hint = hintFor(actual, name);
    return found.map((mismatch) => ({ ...mismatch, actual: mismatch.actual + hint }));
  });
}

/**
 * All mismatches of a value. An object expects its members and allows others, a list expects the same length, a matcher is evaluated,
 * anything else must be equal. Member names may be paths: `collateral.available`.
 */
export function mismatches(actual: unknown, expected: unknown, path = ''): Mismatch[] {
  if (isMatcher(expected)) {
    return checksOf(expected, actual)
      .filter(([isRight]) => !isRight)
      .map(([, words]) => ({ path, expected: words, actual: shown(actual) }));
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length)
      return [{ path, expected: shown(expected), actual: shown(actual) }];
    return expected.flatMap((element, index) => mismatches(actual[index], element, join(path, index)));
  }
  if (isRecord(expected)) {
    if (typeof actual !== 'object' || actual === null || Array.isArray(actual))
      return [{ path, expected: shown(expected), actual: shown(actual) }];
    return memberMismatches(actual, expected, path);
  }
  // Objects such as dates have no members to compare.
  if (typeof expected === 'object' && isDeepStrictEqual(actual, expected)) return [];
  return Object.is(actual, expected) || (actual === 0 && expected === 0)
    ? []
    : [{ path, expected: shown(expected), actual: shown(actual) }];
}
