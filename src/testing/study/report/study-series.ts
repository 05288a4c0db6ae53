import type { MetricFacts } from '../metric-names.js';
import type { MetricRow, StudyManifest } from '../results.js';

export const SHARES = [0.1, 0.25, 0.5, 0.75, 0.9] as const;

/** The distribution of a number of runs, at one tick or at the end. */
export interface Spread {
  readonly runs: number;
  /** In the order of SHARES. */
  readonly quantiles: readonly number[];
  readonly least: number;
  readonly most: number;
}

export interface SpreadAt extends Spread {
  readonly tick: number;
}

/** The values of one key of a metric. */
export interface KeySeries {
  readonly metric: string;
  /** Empty for a metric without keys. */
  readonly key: string;
  readonly facts: MetricFacts;
  /** By run, in the order of the measurements; a missing value is 0, unless the metric has gaps. */
  readonly byRun: ReadonlyMap<number, readonly (number | undefined)[]>;
}

/** The quantile of sorted values, with linear interpolation. */
export function quantile(sorted: readonly number[], share: number): number {
  const at = share * (sorted.length - 1);
  const below = sorted[Math.floor(at)] as number;
  const above = sorted[Math.ceil(at)] as number;
  return below === above ? below : below + (above - below) * (at - Math.floor(at));
}

/** Lists by key, in the order of first appearance. */
export function grouped<K, T>(list: readonly T[], keyOf: (each: T) => K): ReadonlyMap<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const each of list) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return groups;
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
  readonly #plan: Pick<StudyManifest, 'metrics' | 'ticks' | 'study'>;
  readonly #keys = new Map<string, KeySeries & { readonly byRun: Map<number, (number | undefined)[]> }>();
  readonly #measured = new Map<number, number>();

  constructor(plan: Pick<StudyManifest, 'metrics' | 'ticks' | 'study'>) {
    this.#plan = plan;
  }

  add({ run, tick, metric, key, value }: MetricRow): void {
    const { metrics, study } = this.#plan;
    const at = Math.ceil(tick / study.output.every);
    this.#measured.set(run, Math.max(this.#measured.get(run) ?? 0, at + 1));
    const name = `${metric} ${key}`;
    const facts = metrics[metric] ?? { summary: '', keys: '', of: 'instant' };
    const series = this.#keys.get(name) ?? { metric, key, facts, byRun: new Map() };
    this.#keys.set(name, series);
    const values = series.byRun.get(run) ?? [];
    values[at] = value;
    series.byRun.set(run, values);
  }

  keysOf(metric: string): KeySeries[] {
    return [...this.#keys.values()]
      .filter((series) => series.metric === metric)
      .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** The values of a run, from its first measurement to its last. */
  valuesOf({ byRun, facts }: KeySeries, run: number): { readonly tick: number; readonly value: number }[] {
    const values = byRun.get(run);
    const { ticks, study } = this.#plan;
    const measured = Array.from({ length: this.#measured.get(run) ?? 0 }, (_, at) => ({
      tick: Math.min(at * study.output.every, ticks),
      value: values?.[at] ?? 0,
    }));
    return facts.hasGaps === true ? measured.filter((_, at) => values?.[at] !== undefined) : measured;
  }

  /** The spread of runs at each tick at which any of them was measured. */
  over(series: KeySeries, runs: readonly number[]): SpreadAt[] {
    const values = runs.flatMap((run) => this.valuesOf(series, run));
    return [...grouped(values, ({ tick }) => tick)]
      .toSorted(([a], [b]) => a - b)
      .map(([tick, at]) => ({ tick, ...(spreadOf(at.map(({ value }) => value)) as Spread) }));
  }

  /** The result of a completed run: its last value, or the mean over its ticks for a metric of ticks; null if all are gaps. */
  resultOf(series: KeySeries, run: number): number | null {
    const values = this.valuesOf(series, run);
    if (series.facts.hasGaps === true && values.length === 0) return null;
    if (series.facts.of !== 'tick') return values.at(-1)?.value ?? 0;
    // Tick 0 is before the first actions.
    const acted = values.filter(({ tick }) => tick > 0);
    const { every } = this.#plan.study.output;
    // Measurements cover `every` ticks, the last one possibly fewer. With gaps, each counts once.
    const weightOf = (tick: number) => (series.facts.hasGaps === true ? 1 : tick % every || every);
    const weights = acted.reduce((sum, { tick }) => sum + weightOf(tick), 0);
    return acted.reduce((sum, { tick, value }) => sum + value * weightOf(tick), 0) / Math.max(1, weights);
  }

  results(series: KeySeries, runs: readonly number[]): number[] {
    return runs.flatMap((run) => this.resultOf(series, run) ?? []);
  }
}
