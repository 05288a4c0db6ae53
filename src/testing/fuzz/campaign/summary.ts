import type { FailureFile } from '../failure/failure-file.js';
import type { CorpusEntry } from './corpus.js';
import { Coverage, type Covered } from './coverage.js';
import { shapeOf } from './finds.js';
import { type Approaches, Goals } from './goals.js';

/** Result of a campaign, or of a part of one, as plain JSON. */
export interface Summary extends Covered {
  readonly property: string;
  readonly seed: number;
  /** The number of the run to go on with. */
  readonly next: number;
  readonly runs: number;
  readonly steps: number;
  /** Real seconds. */
  readonly seconds: number;
  readonly goals: Readonly<Record<string, number>>;
  /** How close limits came: 1 is exactly full. */
  readonly approaches: Approaches;
  /** `command outcome` and how often. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** The first counterexample. */
  readonly found: FailureFile | null;
  /** Further ones, each of another rule or shape. */
  readonly alsoFound: readonly FailureFile[];
  /** Number of failures that are none of these: found before, or ignored. */
  readonly repeats: number;
  readonly corpus: readonly CorpusEntry[];
}

function summed(parts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const part of parts)
    for (const [name, count] of Object.entries(part)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

/** All counterexamples of a campaign. */
export function findsOf({ found, alsoFound }: Pick<Summary, 'found' | 'alsoFound'>): FailureFile[] {
  return found === null ? [] : [found, ...alsoFound];
}

function distinct(files: readonly FailureFile[]): FailureFile[] {
  return [...new Map(files.toReversed().map((file) => [shapeOf(file), file])).values()].toReversed();
}

/** Merges parts into one: `beside` for workers that ran in parallel, `after` for properties that ran in sequence. */
export function merged(parts: readonly Summary[], how: 'beside' | 'after'): Summary {
  const coverage = new Coverage();
  const goals = new Goals();
  for (const part of parts) {
    coverage.merge(part.coverage);
    goals.merge(part.goals, part.approaches);
  }
  const [found = null, ...alsoFound] = distinct(parts.flatMap(findsOf));
  const seconds = parts.map((part) => part.seconds);
  return {
    seed: parts[0]?.seed ?? 0,
    next: Math.max(0, ...parts.map(({ next }) => next)),
    property: [...new Set(parts.map(({ property }) => property))].join(', '),
    runs: parts.reduce((sum, { runs }) => sum + runs, 0),
    steps: parts.reduce((sum, { steps }) => sum + steps, 0),
    seconds: how === 'beside' ? Math.max(0, ...seconds) : seconds.reduce((sum, each) => sum + each, 0),
    coverage: coverage.counts(),
    discoveries: parts[0]?.discoveries ?? [],
    goals: goals.counts(),
    approaches: goals.approaches(),
    outcomes: summed(parts.map(({ outcomes }) => outcomes)),
    found,
    alsoFound,
    repeats: parts.reduce((sum, { repeats }) => sum + repeats, 0),
    corpus: parts.flatMap((part) => part.corpus),
  };
}

/** Goals that were never reached. */
export function missedGoals({ goals }: Pick<Summary, 'goals'>): string[] {
  return Object.entries(goals)
    .filter(([, times]) => times === 0)
    .map(([goal]) => goal);
}
