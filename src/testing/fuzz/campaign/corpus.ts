import fc from 'fast-check';
import type { Draw } from '../draw.js';
import type { Json, Step } from '../step.js';

/** A sequence that reached new coverage, and the coverage that it reached. */
export interface CorpusEntry {
  readonly steps: readonly Step[];
  readonly reached: readonly string[];
}

/** Renumbers steps and the step numbers in their references. */
export function renumbered(steps: readonly Step[], numberOf: (id: number) => number): Step[] {
  return steps.map((step) => ({
    ...step,
    id: numberOf(step.id),
    with: JSON.parse(
      JSON.stringify(step.with).replace(/\$\{s(\d+)\./g, (_, id: string) => `\${s${numberOf(Number(id))}.`),
    ) as Step['with'],
  }));
}

export function numberedFrom1(steps: readonly Step[]): Step[] {
  const numbers = new Map(steps.map(({ id }, at) => [id, at + 1]));
  return renumbered(steps, (id) => numbers.get(id) ?? id);
}

/** The highest number of a step. */
export function lastId(steps: readonly Step[]): number {
  return steps.reduce((last, { id }) => Math.max(last, id), 0);
}

const NUDGES: readonly ((value: number) => number)[] = [
  (value) => value * 2,
  (value) => value / 2,
  (value) => value + 0.000001,
  (value) => value - 0.000001,
  (value) => value * 10,
  (value) => Math.round(value),
];

function nudged(json: Json, draw: Draw): Json {
  if (typeof json === 'number') return Number(draw(fc.constantFrom(...NUDGES))(json).toPrecision(15));
  if (typeof json !== 'object' || json === null || Object.keys(json).length === 0) return json;
  const changed = draw(fc.constantFrom(...Object.keys(json)));
  if (Array.isArray(json))
    return json.map((each: Json, at) => (String(at) === changed ? nudged(each, draw) : each));
  const members = Object.entries(json as Record<string, Json>);
  return Object.fromEntries(
    members.map(([name, value]) => [name, name === changed ? nudged(value, draw) : value]),
  );
}

/** A sequence derived from one or two corpus entries: truncated, thinned, partly duplicated, joined, or with one number changed. */
export function mutated(entries: readonly CorpusEntry[], draw: Draw): Step[] {
  const any = fc.constantFrom(...entries);
  const { steps } = draw(any);
  const at = draw(fc.nat(steps.length - 1));
  switch (draw(fc.constantFrom('cut', 'thin', 'double', 'join', 'nudge'))) {
    case 'cut':
      return steps.slice(0, at + 1);
    case 'thin':
      return steps.filter((_, place) => place !== at);
    case 'double': {
      const part = steps.slice(at, at + draw(fc.integer({ min: 1, max: 4 })));
      const offset = lastId(steps);
      return [...steps, ...renumbered(part, (id) => (id >= (part[0]?.id ?? 0) ? id + offset : id))];
    }
    case 'join': {
      const other = draw(any).steps;
      const offset = lastId(steps);
      return [...steps.slice(0, at + 1), ...renumbered(other, (id) => id + offset)];
    }
    case 'nudge':
      // Arguments of commands that configure the world must remain valid.
      return steps.map((step, place) =>
        place === at && step.by !== undefined && 'body' in step.with
          ? { ...step, with: { ...step.with, body: nudged(step.with['body'] ?? null, draw) } }
          : step,
      );
  }
}

/** A small set of entries with the same total coverage, chosen greedily, short entries first. */
export function minimized(entries: readonly CorpusEntry[]): CorpusEntry[] {
  const missing = new Set(entries.flatMap(({ reached }) => reached));
  const kept: CorpusEntry[] = [];
  const left = [...entries].toSorted((a, b) => a.steps.length - b.steps.length);
  while (missing.size > 0) {
    let best: CorpusEntry | null = null;
    let most = 0;
    for (const entry of left) {
      const gain = entry.reached.filter((key) => missing.has(key)).length / (entry.steps.length + 1);
      if (gain > most) [best, most] = [entry, gain];
    }
    if (best === null) break;
    for (const key of best.reached) missing.delete(key);
    kept.push(best);
  }
  return kept;
}
