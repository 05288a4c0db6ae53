import type { FailureFile } from '../failure/failure-file.js';
import { plainKind, type Failure } from '../play/sequences.js';
import type { CorpusEntry } from './corpus.js';
import type { Reached } from './tally.js';
import type { CampaignValue } from './campaign-value.js';

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

/** Maximum findings of one kind to shrink, since different bugs may break the same rule. */
const MOST_OF_A_KIND = 3;

/** Whether a kind is to ignore. Entries are full names or prefixes. */
function isIgnored(kind: string, ignored: readonly string[]): boolean {
  return ignored.some((each) => kind.startsWith(each) || plainKind(kind).startsWith(each));
}

export interface Beginnings {
  /** The campaign to continue; the result includes it. */
  readonly earlier: Summary | null;
  /** Known counterexamples, which are not searched for again. */
  readonly known: readonly FailureFile[];
}

/** The counterexamples of a campaign: one for each rule and shape, without ignored kinds and known files. */
export class Finds {
  readonly files: FailureFile[] = [];
  readonly #ignored: readonly string[];
  readonly #shapes: Set<string>;
  readonly #shrunk = new Map<string, number>();
  /** Number of failures that were ignored or already known. */
  repeats = 0;

  constructor({ ignored, known, earlier }: Beginnings & Pick<CampaignValue, 'ignored'>) {
    this.#ignored = ignored;
    if (earlier !== null) {
      this.files.push(...findsOf(earlier));
      this.repeats = earlier.repeats;
    }
    this.#shapes = new Set([...known, ...this.files].map(shapeOf));
    for (const { failure } of known) this.#count(plainKind(failure.kind));
    for (const [kind, times] of Object.entries(earlier?.shrunk ?? {})) this.#shrunk.set(kind, times);
  }

  /** Number of findings of each kind that were shrunk or known. */
  get shrunk(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#shrunk].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  isWanted({ kind }: Failure): boolean {
    const isWanted =
      !isIgnored(kind, this.#ignored) && (this.#shrunk.get(plainKind(kind)) ?? 0) < MOST_OF_A_KIND;
    if (isWanted) this.#count(plainKind(kind));
    else this.repeats += 1;
    return isWanted;
  }

  /** Adds a counterexample; returns whether it is new. */
  add(file: FailureFile): boolean {
    const shape = shapeOf(file);
    const isNew = !this.#shapes.has(shape) && !isIgnored(file.failure.kind, this.#ignored);
    this.#shapes.add(shape);
    if (isNew) this.files.push(file);
    else this.repeats += 1;
    return isNew;
  }

  #count(kind: string): void {
    this.#shrunk.set(kind, (this.#shrunk.get(kind) ?? 0) + 1);
  }
}
