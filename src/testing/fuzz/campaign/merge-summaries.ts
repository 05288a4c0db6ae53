import { shapeOf } from './finds.js';
import { ALL_GOALS } from './goals.js';
import { type Summary, findsOf } from './summary.js';
import { Tally } from './tally.js';

function summed(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0);
}

/** The combined result of campaigns that ran one after another. */
export function merged(parts: readonly Summary[]): Summary {
  const tally = new Tally(ALL_GOALS.filter((goal) => parts.some((part) => goal in part.goals)));
  for (const part of parts) tally.appendSummary(part);
  // One for each rule and shape: the first.
  const finds = parts.flatMap(findsOf).map((file) => [shapeOf(file), file] as const);
  const [found = null, ...alsoFound] = [...new Map(finds.toReversed()).values()].toReversed();
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
