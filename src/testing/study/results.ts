import type { MetricFacts } from './metric-names.js';
import type { StudyFile, SweptValue } from './schema.js';

/** A point of a study: a value for each swept option. */
export interface StudyPoint {
  /** From 1. */
  readonly point: number;
  /** By path, such as `world.limits.dailyWithdrawalUsd`; empty for a study without a sweep. */
  readonly values: Readonly<Record<string, SweptValue>>;
}

/** The failure that ended a run early. */
export interface StudyFailure {
  readonly tick: number;
  /** ISO 8601, of the world. */
  readonly at: string;
  /** The violated invariant, or `error` for an exception. */
  readonly rule: string;
  readonly text: string;
  /** The state file of the world, for `sim inspect`, relative to the results folder; null for none. */
  readonly state: string | null;
}

export interface StudyRun {
  /** From 1. */
  readonly run: number;
  readonly point: number;
  /** From 1. */
  readonly repetition: number;
  /** The seed of its world. All runs of a repetition share a seed. */
  readonly seed: string;
  readonly ticks: number;
  /** Number of agents' actions, of refused actions, and of actions with a transaction on chain. */
  readonly actions: number;
  readonly refused: number;
  readonly onChain: number;
  readonly entries: number;
  /** Calls under a daily limit, and how many of them it refused, by `withdraw|x402/persona`. */
  readonly limits: Readonly<Record<string, { readonly calls: number; readonly refused: number }>>;
  /** Null for a run that passed the ledger check. */
  readonly failure: StudyFailure | null;
}

/** `manifest.json`: everything needed to repeat a study, and the results of its runs. */
export interface StudyManifest {
  readonly format: 'agent-bank-sim study';
  readonly version: 1;
  readonly software: Readonly<Record<string, string>>;
  /** The study with all defaults. */
  readonly study: StudyFile;
  /** The digest of `study.module`; null for none. */
  readonly moduleSha256: string | null;
  /** ISO 8601, of the worlds. */
  readonly startTime: string;
  readonly tickMs: number;
  /** Ticks of a complete run. Tick 0, before the first actions, is also measured. */
  readonly ticks: number;
  /** The number of agents by persona, of each point. */
  readonly population: readonly Readonly<Record<string, number>>[];
  /** The swept options in the order of their columns in `metrics.csv`. */
  readonly parameters: readonly string[];
  readonly points: readonly StudyPoint[];
  /** What was measured, by name. */
  readonly metrics: Readonly<Record<string, MetricFacts>>;
  readonly runs: readonly StudyRun[];
}

/** A row of `metrics.csv` and `metrics.parquet`. The columns have this order; the parameters follow `point`. */
export interface MetricRow {
  readonly point: number;
  /** The values of `StudyManifest.parameters`. */
  readonly parameters: readonly SweptValue[];
  readonly repetition: number;
  readonly run: number;
  readonly tick: number;
  /** ISO 8601, of the world. */
  readonly at: string;
  readonly metric: string;
  /** Empty for a metric without keys. A key without a row at a measured tick has the value 0, unless its metric has gaps. */
  readonly key: string;
  readonly value: number;
}
