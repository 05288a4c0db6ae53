import { parseDuration } from '../../../core/domain/calendar.js';
import { DECIMALS } from '../amounts.js';
import { sequential } from '../commands/overlap.js';
import { AGENT_NAMES } from '../play/model-runner.js';
import { type Failure, plainKind } from '../play/sequence.js';
import type { Json, Step } from '../step.js';

/** Plays a sequence in a fresh world; returns its failure, or null. */
export type Attempt = (steps: readonly Step[]) => Promise<Failure | null>;

/** A failing sequence and its failure. */
export interface Shrunk {
  readonly steps: readonly Step[];
  readonly failure: Failure;
  readonly attempts: number;
}

const SPANS = ['1s', '1m', '1h', '1d', '30d', '365d'];
const SPANS_MS = SPANS.map((span) => parseDuration(span) ?? 0);
const ROUND = [1, 10, 100, 1_000, 10_000];

/** Rounder numbers than the given one, the roundest first. */
function rounder(value: number, name: string): readonly number[] {
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

/** Members without which a step is none; of a body or query, which the service judges, all may go. */
const NEEDED: ReadonlySet<string> = new Set(
  [
    'do by with params id at call calls order rule ms wallet message delegate',
    'transfers to token amount units left usd apy state what loan x github',
  ].flatMap((names) => names.split(' ')),
);
const FREE: ReadonlySet<string> = new Set(['body', 'query']);

/** Every variant with one simplification: a rounder number, a shorter duration, or an optional member removed. */
function* simpler(json: Json, name: string, isFree = false): Generator<Json> {
  if (typeof json === 'string') {
    const ms = parseDuration(json) ?? 0;
    yield* SPANS.filter((_, at) => (SPANS_MS[at] ?? 0) < ms);
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
  if (typeof json !== 'object' || json === null) return;
  const members = Object.entries(json as Record<string, Json>);
  for (const [gone] of members)
    if (isFree || !NEEDED.has(gone)) yield Object.fromEntries(members.filter(([each]) => each !== gone));
  for (const [at, value] of members)
    for (const less of simpler(value, at, isFree || FREE.has(at)))
      yield Object.fromEntries(members.map(([each, kept]) => [each, each === at ? less : kept]));
}

/** The JSON with the numbers of both added up; null when they differ in anything else. */
function added(a: Json, b: Json): Json | null {
  if (typeof a === 'number' && typeof b === 'number') return Number((a + b).toFixed(DECIMALS.SOL));
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b ? a : null;
  const [mine, others] = [a as Record<string, Json>, b as Record<string, Json>];
  const names = Object.keys(mine);
  if (names.length !== Object.keys(others).length || Array.isArray(a) !== Array.isArray(b)) return null;
  const sums = names.map((name) => [name, added(mine[name] ?? null, others[name] ?? null)] as const);
  if (sums.some(([name, sum]) => sum === null && mine[name] !== null)) return null;
  return Array.isArray(a) ? sums.map(([, sum]) => sum) : Object.fromEntries(sums);
}

/** Gives all actions of one agent to another, including references. */
function renamed(steps: readonly Step[], from: string, to: string): Step[] {
  const text = JSON.stringify(steps)
    .replaceAll(`"by":"${from}"`, `"by":"${to}"`)
    .replaceAll(`\${${from}}`, `\${${to}}`)
    .replaceAll(`\${${from}.`, `\${${to}.`);
  return JSON.parse(text) as Step[];
}

/** Up to this length, steps are also dropped in pairs: two that undo each other, or of which one needs the other. */
const MOST_IN_PAIRS = 14;

/** Makes a failing sequence as short as possible, then its numbers as round as possible, while the kind of failure stays. */
export class Shrinker {
  readonly #attempt: Attempt;
  readonly #kind: string;
  readonly #isOver: () => boolean;
  readonly #limit: number;
  #best: readonly Step[];
  #failure: Failure;
  #attempts = 0;
  /** Sequences that were played, as JSON: later rounds would repeat most of them. */
  readonly #tried = new Set<string>();

  constructor(
    attempt: Attempt,
    first: { readonly steps: readonly Step[]; readonly failure: Failure },
    bounds: { readonly attempts: number; readonly isOver: () => boolean },
  ) {
    this.#attempt = attempt;
    this.#best = first.steps;
    this.#failure = first.failure;
    this.#kind = plainKind(first.failure.kind);
    this.#limit = bounds.attempts;
    this.#isOver = bounds.isOver;
  }

  async shrink(): Promise<Shrunk> {
    while (!this.#ended()) {
      const before = JSON.stringify(this.#best);
      await this.#dropSteps();
      await this.#unwrapOverlaps();
      await this.#joinSteps();
      await this.#mergeAgents();
      await this.#simplify();
      if (JSON.stringify(this.#best) === before && !(await this.#dropPairs())) break;
    }
    return { steps: this.#best, failure: this.#failure, attempts: this.#attempts };
  }

  #ended(): boolean {
    return this.#attempts >= this.#limit || this.#isOver();
  }

  /** Accepts a sequence if it fails in the same way. Steps after the failure are cut off. */
  async #take(steps: readonly Step[]): Promise<boolean> {
    if (this.#ended() || steps.length === 0) return false;
    const text = JSON.stringify(steps);
    if (this.#tried.has(text)) return false;
    this.#tried.add(text);
    this.#attempts += 1;
    const failure = await this.#attempt(steps);
    if (failure === null || plainKind(failure.kind) !== this.#kind) return false;
    this.#best = steps.slice(0, failure.at + 1);
    this.#failure = failure;
    return true;
  }

  /** Drops chunks, from halves down to single steps, the last first: late steps influence earlier ones least. */
  async #dropSteps(): Promise<void> {
    for (
      let size = Math.ceil(this.#best.length / 2);
      size >= 1;
      size = size === 1 ? 0 : Math.ceil(size / 2)
    ) {
      for (let end = this.#failure.at; end > 0; end -= size) {
        const start = Math.max(0, end - size);
        await this.#take(this.#best.filter((_, at) => at < start || at >= end));
        end = Math.min(end, this.#best.length);
      }
    }
  }

  /** Drops two steps at once; returns whether any could be. */
  async #dropPairs(): Promise<boolean> {
    if (this.#best.length > MOST_IN_PAIRS) return false;
    for (let later = this.#best.length - 2; later > 0; later -= 1)
      for (let earlier = later - 1; earlier >= 0; earlier -= 1)
        if (await this.#take(this.#best.filter((_, at) => at !== earlier && at !== later))) return true;
    return false;
  }

  /** Makes overlapping calls one by one, or only one of them. */
  async #unwrapOverlaps(): Promise<void> {
    for (let at = this.#best.length - 1; at >= 0; at -= 1) {
      const nextId = Math.max(...this.#best.map(({ id }) => id)) + 1;
      for (const calls of sequential(this.#best[at] as Step, nextId))
        if (await this.#take(this.#best.flatMap((each, place) => (place === at ? calls : [each])))) break;
    }
  }

  /** Merges two steps of a kind into one. */
  async #joinSteps(): Promise<void> {
    for (let later = this.#best.length - 1; later > 0; later -= 1) {
      for (let earlier = later - 1; earlier >= 0; earlier -= 1) {
        const [one, two] = [this.#best[earlier], this.#best[later]];
        if (one === undefined || two === undefined || one.do !== two.do || one.by !== two.by) continue;
        const sum = added(one.with, two.with);
        if (sum === null || typeof sum !== 'object') continue;
        const joined = { ...two, with: sum as Step['with'] };
        const steps = this.#best.map((each, at) => (at === later ? joined : each));
        if (await this.#take(steps.filter((_, at) => at !== earlier))) break;
      }
    }
  }

  async #mergeAgents(): Promise<void> {
    for (const [at, from] of [...AGENT_NAMES.entries()].toReversed())
      if (this.#best.some(({ by }) => by === from))
        for (const to of AGENT_NAMES.slice(0, at)) if (await this.#take(renamed(this.#best, from, to))) break;
  }

  async #simplify(): Promise<void> {
    for (let at = 0; at < this.#best.length && !this.#ended(); at += 1) {
      for (let isSimpler = true; isSimpler;) {
        isSimpler = false;
        const step = this.#best[at];
        if (step === undefined) return;
        for (const less of simpler(step.with, '')) {
          const steps = this.#best.map((each, place) =>
            place === at ? { ...each, with: less as Step['with'] } : each,
          );
          if (await this.#take(steps)) {
            isSimpler = true;
            break;
          }
          if (this.#ended()) return;
        }
      }
    }
  }
}
