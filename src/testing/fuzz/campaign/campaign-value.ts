import type { WorldOptions } from '../world.js';
import type { CorpusEntry } from './corpus.js';

/** What a campaign plays, as plain JSON. Equal values give equal results, whoever computes them. */
export interface CampaignValue {
  readonly property: string;
  readonly seed: number;
  /** The run to begin with, counted from 0. */
  readonly first: number;
  /** The run before which it ends; null for as many as the time allows. */
  readonly end: number | null;
  /** Maximum steps per sequence. */
  readonly steps: number;
  /** 1 to 8. */
  readonly agents: number;
  readonly world: WorldOptions;
  /** Runs are played in worlds with limits that are drawn for them. */
  readonly variesLimits?: true;
  /** Draw only these commands; empty for all. */
  readonly only: readonly string[];
  /** Relative frequency by command. */
  readonly weights: Readonly<Record<string, number>>;
  /** Half of the sequences begin with a mutation of one of these, if there are any. */
  readonly corpus: readonly CorpusEntry[];
  /** Whether sequences are kept that reach something new. */
  readonly keepsSequences: boolean;
  /** Kinds of failures that are no findings, in full or by their beginnings. */
  readonly ignored: readonly string[];
  /** Maximum sequences to play while shrinking a finding. */
  readonly shrinkAttempts: number;
  /** Real milliseconds after which a finding is kept as far as it is shrunk. */
  readonly shrinkTimeMs: number;
}

/** Number of runs that share a world, and its limits, when limits vary: a world takes as long to open as fifty steps. */
const RUNS_WITH_LIMITS = 25;
/** About how many steps a range has at least: a second's work, short enough to be shared out and to be lost. */
const RANGE_STEPS = 1_500;
/** Fast-check passes by all runs before a range to come to its first, some microseconds each: later ranges are longer, so that this stays a small part. */
const PASSED_BY = 1_000;

/** Number of the limits that a run is played under, when they vary. */
export function limitsNumber(run: number): number {
  return Math.floor(run / RUNS_WITH_LIMITS);
}

/** Runs that are played in one go: from `first` to before `end`. */
export interface Range {
  readonly first: number;
  readonly end: number;
}

/** The range of a campaign that begins with a run. */
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
