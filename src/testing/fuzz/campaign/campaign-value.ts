import type { WorldOptions } from '../world.js';
import type { CorpusEntry } from './corpus.js';

/** What a campaign plays, as plain JSON. Equal values give equal results in every process. */
export interface CampaignValue {
  readonly property: string;
  readonly seed: number;
  /** The first run, counted from 0. */
  readonly first: number;
  /** The run to end before; null for as many as time allows. */
  readonly end: number | null;
  /** Maximum steps per sequence. */
  readonly steps: number;
  /** 1 to 8. */
  readonly agents: number;
  readonly world: WorldOptions;
  /** Runs are played in worlds with randomly drawn limits. */
  readonly variesLimits?: true;
  /** Draw only these commands; empty for all. */
  readonly only: readonly string[];
  readonly weights: Readonly<Record<string, number>>;
  /** Half of the sequences begin as one of these, if there are any. */
  readonly corpus: readonly CorpusEntry[];
  /** Whether to keep sequences that reach new coverage. */
  readonly keepsSequences: boolean;
  /** Failure kinds to ignore (full names or prefixes). */
  readonly ignored: readonly string[];
  /** Maximum sequences to play while shrinking a finding. */
  readonly shrinkAttempts: number;
  /** Real milliseconds after which shrinking stops. */
  readonly shrinkTimeMs: number;
}

/** Number of runs that share a world and its limits when limits vary: opening a world takes as long as fifty steps. */
export const RUNS_WITH_LIMITS = 25;
/** Approximate minimum of steps in a range: about a second of work, short enough to distribute and to repeat when lost. */
const RANGE_STEPS = 1_500;
/**
 * Fast-check passes all earlier runs to reach the first of a range, at some microseconds each. Later ranges are longer, so that this
 * remains a small part.
 */
const PASSED_BY = 1_000;

/** The number that determines a run's limits when limits vary. */
export function limitsNumber(run: number): number {
  return Math.floor(run / RUNS_WITH_LIMITS);
}

/** Runs that are played together: from `first` to before `end`. */
export interface Range {
  readonly first: number;
  readonly end: number;
}

/** The range of a campaign that begins with this run. */
export function rangeFrom(
  first: number,
  { end, steps, variesLimits }: Pick<CampaignValue, 'end' | 'steps' | 'variesLimits'>,
): Range {
  const length =
    variesLimits === true
      ? RUNS_WITH_LIMITS - (first % RUNS_WITH_LIMITS)
      : Math.max(1, Math.round(RANGE_STEPS / steps), Math.floor(first / PASSED_BY));
  return { first, end: Math.min(end ?? Number.POSITIVE_INFINITY, first + length) };
}
