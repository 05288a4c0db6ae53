import type { FailureFile } from '../failure/failure-file.js';
import { shapeOf } from './finds.js';
import { ALL_GOALS } from './goals.js';
import { type Summary, findsOf } from './summary.js';
import { Tally } from './tally.js';

/** The counterexamples, one for each rule and shape. */
export function distinct(files: readonly FailureFile[]): FailureFile[] {
  return [...new Map(files.toReversed().map((file) => [shapeOf(file), file])).values()].toReversed();
}

function summed(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0);
}

/** The combined result of campaigns that ran one after another. */
export function merged(parts: readonly Summary[]): Summary {
  const tally = new Tally(ALL_GOALS.filter((goal) => parts.some((part) => goal in part.goals)));
  for (const part of parts) tally.appendSummary(part);
  const [found = null, ...alsoFound] = distinct(parts.flatMap(findsOf));
  const shrunk = new Map<string, number>();
  for (const part of parts)
    for (const [kind, times] of Object.entries(part.shrunk))
      shrunk.set(kind, (shrunk.get(kind) ?? 0) + times);
  return {
    seed: parts[0]?.seed ?? 0,
    next: Math.max(0, ...parts.map(({ next }) => next)),
    property: [...new Set(parts.map(({ property }) => property))].join(', '),
    runs: tally.runs,
    steps: tally.steps,
    seconds: summed(parts.map(({ seconds }) => seconds)),
    ...tally.reached(),
    found,
    alsoFound,
    repeats: summed(parts.map(({ repeats }) => repeats)),
    shrunk: Object.fromEntries(shrunk),
    crashed: parts.flatMap((part) => part.crashed),
    corpus: parts.flatMap((part) => part.corpus),
  };
}
