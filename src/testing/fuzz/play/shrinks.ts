import { parseDuration } from '../../../core/domain/calendar.js';
import { DECIMALS } from '../amounts.js';
import { sequential } from '../commands/overlap.js';
import { AGENT_NAMES } from './model-runner.js';
import { durationText } from '../spans.js';
import type { Json, Step } from '../step.js';

const SPANS = ['1s', '1m', '1h', '1d', '30d', '365d'];
const SPANS_MS = SPANS.map((span) => parseDuration(span) ?? 0);
const ROUND = [1, 10, 100, 1_000, 10_000];

/** Rounder numbers than this one, the roundest first. */
export function rounder(value: number, name: string): readonly number[] {
  const nice = name === 'ms' ? SPANS_MS : ROUND;
  const digits = [1, 2, 3, 4, 6].map((count) => Number(value.toPrecision(count)));
  const cut = Math.trunc(value);
  return [...new Set([...nice, ...digits, cut])].filter(
    (each) => each !== value && textLength(each) <= textLength(value),
  );
}

/** Reading complexity of a number: its digits without zeros at either end, then its size. */
function textLength(value: number): number {
  const digits = value
    .toFixed(DECIMALS.SOL)
    .replace('.', '')
    .replace(/^0+|0+$/g, '').length;
  return digits * 100 + Math.log10(1 + Math.abs(value));
}

/** A duration without its smallest units: `1d2h` and `1d` for `1d2h3s`. */
function* shorterTexts(duration: string): Generator<string> {
  const shorter = duration.replace(/[\d.]+[a-z]+$/, '');
  if (shorter === '' || shorter === duration) return;
  yield* shorterTexts(shorter);
  yield shorter;
}

/** Members that a step cannot lack. In a body or query, which the service validates, every member may be removed. */
const NEEDED: ReadonlySet<string> = new Set(
  [
    'do by with params id at call calls order rule wallet message delegate transfers to token amount left',
    'usdc sol usdcUsd solUsd state loan policy',
  ].flatMap((names) => names.split(' ')),
);
const FREE: ReadonlySet<string> = new Set(['body', 'query']);
/** What the model expects of these holds for complete arguments only. */
const COMPLETE: ReadonlySet<string> = new Set(['control', 'identity.link']);

/** Every variant with one simplification: a rounder number, a shorter or rounder duration, or an optional member removed. */
function* simpler(json: Json, name: string, isFree = false): Generator<Json> {
  if (typeof json === 'string') {
    const ms = parseDuration(json) ?? 0;
    if (ms === 0) return;
    yield* SPANS.filter((span, at) => (SPANS_MS[at] ?? 0) < ms || span.length < json.length);
    yield* shorterTexts(json);
    return;
  }
  if (typeof json === 'number') {
    for (const less of rounder(json, name)) if (isFree || less > 0) yield less;
    return;
  }
  if (Array.isArray(json)) {
    const list = json as readonly Json[];
    if (list.length > 1) for (const at of list.keys()) yield list.filter((_, place) => place !== at);
    for (const [at, each] of list.entries())
      for (const less of simpler(each, name, isFree))
        yield list.map((other, place) => (place === at ? less : other));
    return;
  }
  if (typeof json !== 'object' || json === null || COMPLETE.has(name)) return;
  const members = Object.entries(json as Record<string, Json>);
  for (const [gone] of members)
    if (isFree || !NEEDED.has(gone)) yield Object.fromEntries(members.filter(([each]) => each !== gone));
  for (const [at, value] of members)
    for (const less of simpler(value, at, isFree || FREE.has(at)))
      yield Object.fromEntries(members.map(([each, kept]) => [each, each === at ? less : kept]));
}

/** The JSON with the numbers and durations of both added; null when they differ in anything else. */
function added(a: Json, b: Json): Json | null {
  if (typeof a === 'string' && typeof b === 'string') {
    const [ms, otherMs] = [parseDuration(a), parseDuration(b)];
    if (ms !== null && otherMs !== null) return durationText(ms + otherMs);
  }
  if (typeof a === 'number' && typeof b === 'number') return Number((a + b).toFixed(DECIMALS.SOL));
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b ? a : null;
  const [mine, others] = [a as Record<string, Json>, b as Record<string, Json>];
  const names = Object.keys(mine);
  if (names.length !== Object.keys(others).length || Array.isArray(a) !== Array.isArray(b)) return null;
  const sums = names.map((name) => [name, added(mine[name] ?? null, others[name] ?? null)] as const);
  if (sums.some(([name, sum]) => sum === null && mine[name] !== null)) return null;
  return Array.isArray(a) ? sums.map(([, sum]) => sum) : Object.fromEntries(sums);
}

/** Assigns all actions of one agent to another, including references. */
function renamed(steps: readonly Step[], from: string, to: string): Step[] {
  const text = JSON.stringify(steps)
    .replaceAll(`"by":"${from}"`, `"by":"${to}"`)
    .replaceAll(`\${${from}}`, `\${${to}}`)
    .replaceAll(`\${${from}.`, `\${${to}.`);
  return JSON.parse(text) as Step[];
}

/** Up to this length, steps are also removed in pairs: two that cancel each other, or depend on each other. */
const MOST_IN_PAIRS = 14;

/** Where to continue when a simpler sequence also fails: the pass, and the position in it. */
export interface Cursor {
  readonly pass: number;
  readonly at: readonly number[];
}

/** Simpler sequences, each with the position to continue from. */
type Pass = (steps: readonly Step[], from: readonly number[], failedAt: number) => Simpler;
type Simpler = Generator<readonly [steps: readonly Step[], at: readonly number[]]>;

/** Removes parts, from halves down to single steps, the last first: late steps affect earlier ones least. */
function* withoutSteps(steps: readonly Step[], from: readonly number[], failedAt: number): Simpler {
  const [first = Math.ceil(steps.length / 2), last = failedAt] = from;
  for (let size = first; size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let end = size === first ? Math.min(last, failedAt) : failedAt; end > 0; end -= size) {
      const start = Math.max(0, end - size);
      yield [steps.filter((_, at) => at < start || at >= end), [size, start]];
    }
}

/** Plays overlapping calls one by one, or only one of them. */
function* withoutOverlaps(steps: readonly Step[], [from = steps.length - 1]: readonly number[]): Simpler {
  const nextId = Math.max(...steps.map(({ id }) => id)) + 1;
  for (let at = Math.min(from, steps.length - 1); at >= 0; at -= 1)
    for (const calls of sequential(steps[at] as Step, nextId))
      yield [steps.flatMap((each, place) => (place === at ? calls : [each])), [at - 1]];
}

function* withJoinedSteps(steps: readonly Step[], [from = steps.length - 1]: readonly number[]): Simpler {
  for (let later = Math.min(from, steps.length - 1); later > 0; later -= 1)
    for (let earlier = later - 1; earlier >= 0; earlier -= 1) {
      const [one, two] = [steps[earlier] as Step, steps[later] as Step];
      if (one.do !== two.do || one.by !== two.by) continue;
      const sum = added(one.with, two.with);
      if (sum === null || typeof sum !== 'object') continue;
      const joined = steps.map((each, at) => (at === later ? { ...two, with: sum as Step['with'] } : each));
      yield [joined.filter((_, at) => at !== earlier), [later - 1]];
    }
}

function* withFewerAgents(steps: readonly Step[]): Simpler {
  for (const [at, from] of [...AGENT_NAMES.entries()].toReversed())
    if (steps.some(({ by }) => by === from))
      for (const to of AGENT_NAMES.slice(0, at)) yield [renamed(steps, from, to), []];
}

function* withSimplerSteps(steps: readonly Step[], [from = 0]: readonly number[]): Simpler {
  for (let at = from; at < steps.length; at += 1)
    for (const less of simpler((steps[at] as Step).with, (steps[at] as Step).do))
      yield [
        steps.map((each, place) => (place === at ? { ...each, with: less as Step['with'] } : each)),
        [at],
      ];
}

function* withoutPairs(steps: readonly Step[]): Simpler {
  if (steps.length > MOST_IN_PAIRS) return;
  for (let later = steps.length - 2; later > 0; later -= 1)
    for (let earlier = later - 1; earlier >= 0; earlier -= 1)
      yield [steps.filter((_, at) => at !== earlier && at !== later), []];
}

const PASSES: readonly Pass[] = [
  withoutSteps,
  withoutOverlaps,
  withJoinedSteps,
  withFewerAgents,
  withSimplerSteps,
];

/**
 * Yields simpler variants of a sequence that failed at an index; for a failure at the end, that is the index after the last. The sequence
 * becomes as short as possible first, then its numbers as round as possible. Continues from each variant that also fails, and ends when all
 * have been tried since.
 */
export function* shrinks(
  steps: readonly Step[],
  failedAt: number,
  { pass: first, at: from }: Cursor = { pass: 0, at: [] },
): Generator<readonly [steps: readonly Step[], cursor: Cursor]> {
  for (let turn = 0; turn <= PASSES.length; turn += 1) {
    const pass = (first + turn) % PASSES.length;
    const all = (PASSES[pass] as Pass)(steps, turn === 0 ? from : [], failedAt);
    for (const [shrunk, at] of all) if (shrunk.length > 0) yield [shrunk, { pass, at }];
  }
  for (const [shrunk] of withoutPairs(steps)) yield [shrunk, { pass: 0, at: [] }];
}
