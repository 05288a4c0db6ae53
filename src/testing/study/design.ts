import { createHash } from 'node:crypto';
import { Random } from './random.js';
import type { StudyPoint } from './results.js';
import type { Range, StudyFile, SweptValue } from './schema.js';

type Sweep = StudyFile['sweep'];

const STEPS = 5;
const MOST_POINTS = 100_000;

/** A 31-bit seed derived from a text. */
export function seedOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32LE(0) >>> 1;
}

/** A number from 0 to below 1. */
export function fraction(random: Random): number {
  const parts = 2 ** 30;
  return random.below(parts) / parts;
}

/** The numbers from 0 to `count` - 1 in random order. */
export function shuffled(count: number, random: Random): number[] {
  const order = Array.from({ length: count }, (_, at) => at);
  for (let at = count - 1; at > 0; at -= 1) {
    const other = random.below(at + 1);
    [order[at], order[other]] = [order[other] as number, order[at] as number];
  }
  return order;
}

function between({ from, to, decimals }: Range, share: number): number {
  return Number((from + (to - from) * share).toFixed(decimals));
}

function isRange(values: Sweep[string]): values is Range {
  return !Array.isArray(values) && typeof values['from'] === 'number';
}

/** The name of a swept value. The name of an unnamed object or list is its JSON. */
function nameOf(option: unknown): SweptValue {
  const isPlain = typeof option === 'number' || typeof option === 'string' || typeof option === 'boolean';
  return isPlain ? option : JSON.stringify(option);
}

/** The options of a list or of named values, by name. */
function choicesOf(values: Exclude<Sweep[string], Range>): ReadonlyMap<SweptValue, unknown> {
  return new Map<SweptValue, unknown>(
    Array.isArray(values) ? values.map((option) => [nameOf(option), option]) : Object.entries(values),
  );
}

export function optionOf(values: Sweep[string] | undefined, value: SweptValue): unknown {
  if (values === undefined || isRange(values)) return value;
  return choicesOf(values).get(value);
}

function gridValues(values: Sweep[string]): readonly SweptValue[] {
  if (!isRange(values)) return [...choicesOf(values).keys()];
  const steps = values.steps ?? STEPS;
  return Array.from({ length: steps }, (_, at) => between(values, at / (steps - 1)));
}

/** Throws RangeError for equal values, which would be equal points of a grid. */
function checkDifferent({ sweep, design }: Pick<StudyFile, 'sweep' | 'design'>): void {
  for (const [path, values] of Object.entries(sweep)) {
    if (isRange(values) && design !== 'grid') continue;
    const names = Array.isArray(values) ? values.map(nameOf) : gridValues(values);
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    if (twice !== undefined) throw new RangeError(`${path} has the value ${String(twice)} twice`);
  }
}

function gridSize(sweep: Sweep): number {
  return Object.values(sweep).reduce((size, values) => size * gridValues(values).length, 1);
}

/** All combinations; the last option changes first. */
function grid(sweep: Sweep): Record<string, SweptValue>[] {
  return Object.entries(sweep).reduce<Record<string, SweptValue>[]>(
    (points, [path, values]) =>
      points.flatMap((point) => gridValues(values).map((value) => ({ ...point, [path]: value }))),
    [{}],
  );
}

/** A Latin hypercube: divides each option into as many parts as there are points, and uses each part once. */
function latinHypercube(sweep: Sweep, count: number, seed: number): Record<string, SweptValue>[] {
  const columns = Object.entries(sweep).map(([path, values]) => {
    const random = new Random(seedOf(`${seed}/sweep/${path}`));
    const parts = shuffled(count, random);
    const drawn = parts.map((part) => {
      if (isRange(values)) return between(values, (part + fraction(random)) / count);
      const choices = gridValues(values);
      return choices[Math.floor((part * choices.length) / count)] as SweptValue;
    });
    return [path, drawn] as const;
  });
  return Array.from({ length: count }, (_, at) =>
    Object.fromEntries(columns.map(([path, drawn]) => [path, drawn[at] as SweptValue])),
  );
}

/** The points of a study, determined by its sweep, design and seed. Throws RangeError for too many points. */
export function pointsOf(study: Pick<StudyFile, 'sweep' | 'design' | 'points' | 'seed'>): StudyPoint[] {
  const { sweep, design, points, seed } = study;
  checkDifferent(study);
  const count = design === 'grid' ? gridSize(sweep) : (points ?? 0);
  if (count > MOST_POINTS)
    throw new RangeError(`the sweep has ${count} points; at most ${MOST_POINTS} are allowed`);
  const values = design === 'grid' ? grid(sweep) : latinHypercube(sweep, count, seed);
  return values.map((each, at) => ({ point: at + 1, values: each }));
}

/** The seed of a repetition. It is equal at every point, so that points differ only in their options. */
export function runSeed(seed: number, repetition: number): string {
  return `study/${seed}/${repetition}`;
}

/** Distributes `count` agents by weights: whole numbers with this sum, by largest remainder. */
export function apportioned(weights: readonly number[], count: number): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const exact = weights.map((weight) => (total === 0 ? 0 : (weight * count) / total));
  const counts = exact.map(Math.floor);
  const left = count - counts.reduce((sum, each) => sum + each, 0);
  const byRemainder = exact
    .map((value, at) => ({ at, remainder: value - Math.floor(value) }))
    .toSorted((a, b) => b.remainder - a.remainder || a.at - b.at);
  for (const { at } of byRemainder.slice(0, left)) counts[at] = (counts[at] ?? 0) + 1;
  return counts;
}
