import type { MetricFacts } from '../metric-names.js';
import type { MetricRow, StudyManifest } from '../results.js';

/** The quantiles that a plot shows. */
export const SHARES = [0.1, 0.25, 0.5, 0.75, 0.9] as const;

/** The distribution of a number of runs, at one tick or at the end. */
export interface Spread {
  readonly runs: number;
  /** In the order of SHARES. */
  readonly quantiles: readonly number[];
  readonly least: number;
  readonly most: number;
}

/** A tick and the values of runs at this tick. */
export interface SpreadAt extends Spread {
  readonly tick: number;
}

/** The values of one key of a metric, by run and tick. */
export interface KeySeries {
  readonly metric: string;
  /** Empty for a metric without keys. */
  readonly key: string;
  readonly facts: MetricFacts;
  readonly byRun: ReadonlyMap<number, ReadonlyMap<number, number>>;
}

/** The quantile of sorted values, with linear interpolation. */
export function quantile(sorted: readonly number[], share: number): number {
  const at = share * (sorted.length - 1);
  const below = sorted[Math.floor(at)] as number;
  const above = sorted[Math.ceil(at)] as number;
  return below === above ? below : below + (above - below) * (at - Math.floor(at));
}

/** The spread of values; null for none. */
export function spreadOf(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const quantiles = SHARES.map((share) => quantile(sorted, share));
  return { runs: sorted.length, quantiles, least: sorted[0] as number, most: sorted.at(-1) as number };
}

export function median({ quantiles }: Spread): number {
  return quantiles[SHARES.indexOf(0.5)] as number;
}

/** The measurements of a study's runs, by metric and key. Rows are added one by one, because there can be millions. */
export class StudySeries {
  /** Measured ticks by run: a key without a row at one of them has the value 0. */
  readonly #ticks = new Map<number, Set<number>>();
  readonly #keys = new Map<string, KeySeries & { readonly byRun: Map<number, Map<number, number>> }>();
  readonly #metrics: StudyManifest['metrics'];

  constructor(metrics: StudyManifest['metrics']) {
    this.#metrics = metrics;
  }

  add({ run, tick, metric, key, value }: MetricRow): void {
    const ticks = this.#ticks.get(run) ?? new Set();
    this.#ticks.set(run, ticks.add(tick));
    const name = `${metric} ${key}`;
    const facts = this.#metrics[metric] ?? { summary: '', keys: '', of: 'instant' };
    const series = this.#keys.get(name) ?? { metric, key, facts, byRun: new Map() };
    this.#keys.set(name, series);
    const values = series.byRun.get(run) ?? new Map<number, number>();
    series.byRun.set(run, values.set(tick, value));
  }

  /** The keys of a metric, in order of their names. */
  keysOf(metric: string): KeySeries[] {
    return [...this.#keys.values()]
      .filter((series) => series.metric === metric)
      .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** The measured ticks of runs, in order. */
  ticksOf(runs: readonly number[]): number[] {
    return [...new Set(runs.flatMap((run) => [...(this.#ticks.get(run) ?? [])]))].toSorted((a, b) => a - b);
  }

  /** The value of a run at a tick; null when it was not measured there. */
  #valueAt(series: KeySeries, run: number, tick: number): number | null {
    if (this.#ticks.get(run)?.has(tick) !== true) return null;
    return series.byRun.get(run)?.get(tick) ?? 0;
  }

  over(series: KeySeries, runs: readonly number[], ticks: readonly number[]): SpreadAt[] {
    return ticks.flatMap((tick) => {
      const values = runs.map((run) => this.#valueAt(series, run, tick)).filter((value) => value !== null);
      const spread = spreadOf(values);
      return spread === null ? [] : [{ tick, ...spread }];
    });
  }

  /** The result of a run: its last value, or the mean over its ticks for a metric of the tick that ended. Null for a run without values. */
  resultOf(series: KeySeries, run: number): number | null {
    const ticks = this.ticksOf([run]);
    const last = ticks.at(-1);
    if (last === undefined) return null;
    if (series.facts.of !== 'tick') return this.#valueAt(series, run, last);
    // Tick 0 is before the first actions.
    const acted = ticks.filter((tick) => tick > 0);
    const sum = acted.reduce((total, tick) => total + (this.#valueAt(series, run, tick) ?? 0), 0);
    return acted.length === 0 ? null : sum / acted.length;
  }

  results(series: KeySeries, runs: readonly number[]): number[] {
    return runs.map((run) => this.resultOf(series, run)).filter((value) => value !== null);
  }
}
