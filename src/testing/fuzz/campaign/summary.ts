import type { FailureFile } from '../failure/failure-file.js';
import type { CorpusEntry } from './corpus.js';
import type { Covered } from './coverage.js';
import type { Approaches } from './goals.js';

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
export interface Summary extends Covered {
  readonly property: string;
  readonly seed: number;
  readonly next: number;
  readonly runs: number;
  readonly steps: number;
  /** Real seconds. */
  readonly seconds: number;
  readonly goals: Readonly<Record<string, number>>;
  /** How close limits came: 1 is exactly full. */
  readonly approaches: Approaches;
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
