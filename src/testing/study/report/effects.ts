import { meanOf } from '../interval.js';
import type { StudyManifest, StudyPoint } from '../results.js';
import type { SweptValue } from '../schema.js';
import { type KeySeries, type Spread, type StudySeries, grouped, median, spreadOf } from './study-series.js';

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

/** A metric that differs more between points than between the runs of a point: its medians at two points. */
export interface Change {
  readonly series: KeySeries;
  /** The only option in which the points differ; null where no two points of the study differ in one only. */
  readonly option: string | null;
  readonly from: StudyPoint;
  readonly to: StudyPoint;
  readonly before: number;
  readonly after: number;
}

export function differencesOf(point: StudyPoint, other: StudyPoint): string[] {
  return Object.keys(point.values).filter((path) => point.values[path] !== other.values[path]);
}

/** Without the effects of the seeds, the runs of different points are comparable: `spread` is of those. */
interface PointResult {
  readonly point: StudyPoint;
  readonly spread: Spread;
  readonly result: number;
}

/** The two points of a group that differ most, first the one that stands first in the study. */
function extremesOf(group: readonly PointResult[]): readonly [PointResult, PointResult] {
  const sorted = group.toSorted((a, b) => median(a.spread) - median(b.spread));
  const [least, most] = [sorted[0], sorted.at(-1)] as [PointResult, PointResult];
  return least.point.point < most.point.point ? [least, most] : [most, least];
}

const distanceOf = ([from, to]: readonly [PointResult, PointResult]): number =>
  Math.abs(median(to.spread) - median(from.spread));

/**
 * The changes of a metric by each option, at the values of the others where it changes most. Where no two points differ in one option only, the
 * change between any two. Leaves out points that differ by less than the widest band from the 10th to the 90th percentile of their runs.
 */
function changesBy(series: KeySeries, manifest: StudyManifest, all: StudySeries): Change[] {
  const results = manifest.runs
    .filter(({ failure }) => failure === null)
    .flatMap(({ run, point, repetition }) => {
      const result = all.resultOf(series, run);
      return result === null ? [] : { point, repetition, result };
    });
  // The runs of a repetition share a seed, so its mean result is the effect of the seed.
  const repetitions = [...grouped(results, ({ repetition }) => repetition)];
  const means = new Map(
    repetitions.map(([repetition, own]) => [repetition, meanOf(own.map(({ result }) => result))]),
  );
  const points = manifest.points.flatMap((point): PointResult[] => {
    const own = results.filter((each) => each.point === point.point);
    const raw = spreadOf(own.map(({ result }) => result));
    const spread = spreadOf(own.map(({ repetition, result }) => result - (means.get(repetition) as number)));
    return raw === null || spread === null ? [] : [{ point, spread, result: median(raw) }];
  });
  if (points.length === 0) return [];
  const chance = Math.max(
    ...points.map(({ spread: { quantiles } }) => (quantiles.at(-1) as number) - (quantiles[0] as number)),
  );
  const byOption = manifest.parameters.map((option) => {
    // Points that differ in this option only.
    const groups = grouped(points, ({ point }) => JSON.stringify({ ...point.values, [option]: null }));
    return { option, groups: [...groups.values()] };
  });
  const isGrid = byOption.some(({ groups }) => groups.some(({ length }) => length > 1));
  return (isGrid ? byOption : [{ option: null, groups: [points] }]).flatMap(({ option, groups }) => {
    const pairs = groups.map(extremesOf).toSorted((a, b) => distanceOf(b) - distanceOf(a));
    const [from, to] = pairs[0] as [PointResult, PointResult];
    if (distanceOf([from, to]) <= chance || from.result === to.result) return [];
    return { series, option, from: from.point, to: to.point, before: from.result, after: to.result };
  });
}

export function shareOf({ before, after }: Pick<Change, 'before' | 'after'>): number {
  return Math.abs(after - before) / Math.max(Math.abs(before), Math.abs(after));
}

/** The metrics that differ more between points than between runs, the largest share first. Rates are conditions of the world, not effects. */
export function changesOf(manifest: StudyManifest, all: StudySeries): Change[] {
  return Object.keys(manifest.metrics)
    .filter((metric) => metric !== 'rates')
    .flatMap((metric) => all.keysOf(metric))
    .flatMap((series) => changesBy(series, manifest, all))
    .toSorted((a, b) => shareOf(b) - shareOf(a));
}
