import type { StudyManifest, StudyPoint } from '../results.js';
import type { SweptValue } from '../schema.js';
import { type KeySeries, type StudySeries, median, spreadOf } from './study-series.js';

/** The completed runs of points. Other runs have no result. */
export function completeRunsOf({ runs }: StudyManifest, points: readonly number[]): number[] {
  return runs
    .filter(({ point, failure }) => failure === null && points.includes(point))
    .map(({ run }) => run);
}

/** The different values of a swept option, in the order of the points. */
export function valuesOf({ points }: StudyManifest, parameter: string): SweptValue[] {
  return [...new Set(points.map(({ values }) => values[parameter] as SweptValue))];
}

/** A metric that differs more between points than between the runs of a point: its medians at the two points that differ most. */
export interface Change {
  readonly series: KeySeries;
  readonly from: StudyPoint;
  readonly to: StudyPoint;
  readonly before: number;
  readonly after: number;
}

/** The mean result of each repetition. The runs of a repetition share a seed, so this is the effect of the seed. */
function meansOf(results: readonly { repetition: number; result: number }[]): Map<number, number> {
  const sums = new Map<number, { sum: number; count: number }>();
  for (const { repetition, result } of results) {
    const { sum, count } = sums.get(repetition) ?? { sum: 0, count: 0 };
    sums.set(repetition, { sum: sum + result, count: count + 1 });
  }
  return new Map([...sums].map(([repetition, { sum, count }]) => [repetition, sum / count]));
}

export function differencesOf(point: StudyPoint, other: StudyPoint): string[] {
  return Object.keys(point.values).filter((path) => point.values[path] !== other.values[path]);
}

/** The change of a metric; null if its points differ by less than the widest band from the 10th to the 90th percentile of their runs. */
function changeOf(series: KeySeries, manifest: StudyManifest, all: StudySeries): Change | null {
  const results = manifest.runs
    .filter(({ failure }) => failure === null)
    .flatMap(({ run, point, repetition }) => {
      const result = all.resultOf(series, run);
      return result === null ? [] : { point, repetition, result };
    });
  const means = meansOf(results);
  const sorted = manifest.points
    .flatMap((point) => {
      const own = results.filter((each) => each.point === point.point);
      const raw = spreadOf(own.map(({ result }) => result));
      // Without the effects of the seeds, the runs of different points are comparable.
      const spread = spreadOf(
        own.map(({ repetition, result }) => result - (means.get(repetition) as number)),
      );
      return raw === null || spread === null ? [] : [{ point, spread, result: median(raw) }];
    })
    .toSorted((a, b) => median(a.spread) - median(b.spread));
  const [least, last] = [sorted[0], sorted.at(-1)];
  if (least === undefined || last === undefined) return null;
  // Among equal points, the one with the most options in common.
  const most = sorted
    .filter(({ spread }) => median(spread) === median(last.spread))
    .reduce((best, each) =>
      differencesOf(each.point, least.point).length < differencesOf(best.point, least.point).length
        ? each
        : best,
    );
  const chance = Math.max(
    ...sorted.map(({ spread: { quantiles } }) => (quantiles.at(-1) as number) - (quantiles[0] as number)),
  );
  if (median(most.spread) - median(least.spread) <= chance || least.result === most.result) return null;
  const [from, to] = least.point.point < most.point.point ? [least, most] : [most, least];
  return { series, from: from.point, to: to.point, before: from.result, after: to.result };
}

export function shareOf({ before, after }: Pick<Change, 'before' | 'after'>): number {
  return Math.abs(after - before) / Math.max(Math.abs(before), Math.abs(after));
}

/** The metrics that differ more between points than between runs, the largest share first. Rates are conditions of the world, not effects. */
export function changesOf(manifest: StudyManifest, all: StudySeries): Change[] {
  return Object.keys(manifest.metrics)
    .filter((metric) => metric !== 'rates')
    .flatMap((metric) => all.keysOf(metric))
    .flatMap((series) => changeOf(series, manifest, all) ?? [])
    .toSorted((a, b) => shareOf(b) - shareOf(a));
}
