import fc from 'fast-check';
import type { Draw } from '../draw.js';
import type { Step } from '../step.js';

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

/** The first steps of an entry: all of them, or some. */
export function beginningOf(entries: readonly CorpusEntry[], draw: Draw): readonly Step[] {
  const { steps } = draw(fc.constantFrom(...entries));
  return steps.slice(0, draw(fc.integer({ min: 1, max: steps.length })));
}
