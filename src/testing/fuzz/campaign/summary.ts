import type { FailureFile } from '../failure/failure-file.js';
import { plainKind } from '../play/sequence.js';
import type { CorpusEntry } from './corpus.js';
import { outcomesOf } from './coverage.js';
import { ALL_GOALS } from './goals.js';
import { type Reached, Tally } from './tally.js';

/** Runs that crashed every process that played them: a range from `first` to before `end`, or the shrinking of a finding. */
export interface Crashed {
  readonly what: 'playing' | 'shrinking';
  readonly property: string;
  readonly seed: number;
  readonly first: number;
  readonly end: number;
  readonly reason: string;
}

/**
 * Result of a campaign as plain JSON. Equal campaigns have equal results except for `seconds`, in any process, unless the campaign or its
 * shrinking reached a real-time limit.
 */
export interface Summary extends Reached {
  readonly property: string;
  readonly seed: number;
  readonly next: number;
  /** Real seconds. */
  readonly seconds: number;
  /** How often each `command outcome` occurred. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly found: FailureFile | null;
  /** Further counterexamples, each with another rule or shape. */
  readonly alsoFound: readonly FailureFile[];
  /** Number of other failures: ignored or found before. */
  readonly repeats: number;
  /** Number of failures of each kind that were shrunk or known. */
  readonly shrunk: Readonly<Record<string, number>>;
  readonly crashed: readonly Crashed[];
  readonly corpus: readonly CorpusEntry[];
}

export function findsOf({ found, alsoFound }: Pick<Summary, 'found' | 'alsoFound'>): FailureFile[] {
  return found === null ? [] : [found, ...alsoFound];
}

/** The rule that a counterexample breaks and the commands that it needs: equal for what is most likely one bug. */
export function shapeOf({ failure, steps }: FailureFile): string {
  return [plainKind(failure.kind), ...steps.map((step) => step.do)].join(' | ');
}

export function missedGoals({ goals }: Pick<Summary, 'goals'>): string[] {
  return Object.entries(goals)
    .filter(([, times]) => times === 0)
    .map(([goal]) => goal);
}

/** Commands that were played but never succeeded: states behind them were not reached. */
export function neverSucceeded({ outcomes }: Pick<Summary, 'outcomes'>): string[] {
  const played = new Map<string, boolean>();
  for (const what of Object.keys(outcomes)) {
    const [command = '', outcome = ''] = what.split(' ');
    played.set(command, played.get(command) === true || outcome.split('+').includes('ok'));
  }
  return [...played].filter(([, hasSucceeded]) => !hasSucceeded).map(([command]) => command);
}

function summed(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0);
}

/** The combined result of campaigns that ran one after another. */
export function merged(parts: readonly Summary[]): Summary {
  const tally = new Tally(ALL_GOALS.filter((goal) => parts.some((part) => goal in part.goals)));
  for (const part of parts) tally.append(part);
  // One for each rule and shape: the first.
  const finds = parts.flatMap(findsOf).map((file) => [shapeOf(file), file] as const);
  const [found = null, ...alsoFound] = [...new Map(finds.toReversed()).values()].toReversed();
  const shrunk = new Map<string, number>();
  for (const part of parts)
    for (const [kind, times] of Object.entries(part.shrunk))
      shrunk.set(kind, (shrunk.get(kind) ?? 0) + times);
  const reached = tally.reached();
  return {
    seed: parts[0]?.seed ?? 0,
    next: Math.max(0, ...parts.map(({ next }) => next)),
    property: [...new Set(parts.map(({ property }) => property))].join(', '),
    seconds: summed(parts.map(({ seconds }) => seconds)),
    ...reached,
    outcomes: outcomesOf(reached.coverage),
    found,
    alsoFound,
    repeats: summed(parts.map(({ repeats }) => repeats)),
    shrunk: Object.fromEntries(shrunk),
    crashed: parts.flatMap((part) => part.crashed),
    corpus: parts.flatMap((part) => part.corpus),
  };
}
