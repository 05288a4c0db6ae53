import type { StudyManifest } from '../results.js';
import type { SweptValue } from '../schema.js';
import { type KeySeries, type Spread, type StudySeries, median, spreadOf } from './study-series.js';

/** What a value of a swept option does to a measured number, over all values of the others. */
export interface Effect {
  readonly parameter: string;
  readonly value: SweptValue;
  readonly spread: Spread;
  /** The median, less that of the option's first value; null for the first. */
  readonly difference: number | null;
}

/** The runs of points. */
export function runsOf(manifest: StudyManifest, points: readonly number[]): number[] {
  return manifest.runs.filter(({ point }) => points.includes(point)).map(({ run }) => run);
}

/** The runs of points that have come to their end: the others have no result. */
export function completeRunsOf(manifest: StudyManifest, points: readonly number[]): number[] {
  const failed = new Set(manifest.runs.filter(({ failure }) => failure !== null).map(({ run }) => run));
  return runsOf(manifest, points).filter((run) => !failed.has(run));
}

/** The different values of a swept option, in the order of the points. */
export function valuesOf({ points }: StudyManifest, parameter: string): SweptValue[] {
  return [...new Set(points.map(({ values }) => values[parameter] as SweptValue))];
}

/** The effects of all swept options on a measured number. */
export function effectsOn(series: KeySeries, manifest: StudyManifest, all: StudySeries): Effect[] {
  return manifest.parameters.flatMap((parameter) => {
    let first: number | null = null;
    return valuesOf(manifest, parameter).flatMap((value): Effect[] => {
      const points = manifest.points.filter(({ values }) => values[parameter] === value);
      const runs = completeRunsOf(
        manifest,
        points.map(({ point }) => point),
      );
      const spread = spreadOf(all.results(series, runs));
      if (spread === null) return [];
      const difference = first === null ? null : median(spread) - first;
      first ??= median(spread);
      return [{ parameter, value, spread, difference }];
    });
  });
}
