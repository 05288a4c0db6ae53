import type { StudyManifest } from '../results.js';
import type { StudySeries } from './study-series.js';
import { figureText, shortNames } from './texts.js';

/** An event in the runs of a point, marked at its tick. */
export interface Mark {
  readonly tick: number;
  readonly kind: 'rates' | 'failure';
  readonly text: string;
}

export interface ReportInput {
  readonly manifest: StudyManifest;
  readonly all: StudySeries;
  /** Short names of the swept options, by path. */
  readonly names: ReadonlyMap<string, string>;
  /** By point. */
  readonly marks: ReadonlyMap<number, Mark[]>;
}

/** Maximum marks of rates. More frequent changes would cover the plot. */
const MOST_CHANGES = 6;

function measuredMarks(all: StudySeries, run: number): Mark[] {
  return all.keysOf('rates').flatMap((series) => {
    const values = all.valuesOf(series, run);
    const marks = values.flatMap(({ tick, value }, at): Mark[] => {
      const before = values[at - 1]?.value;
      if (before === undefined || before === value) return [];
      const change = `${figureText(before)} → ${figureText(value)}`;
      return [{ tick, kind: 'rates', text: `${series.key}: ${change}` }];
    });
    return marks.length > MOST_CHANGES ? [] : marks;
  });
}

/** The marks of a point: rate changes of its first run, and failures of all runs. */
export function marksOf(manifest: StudyManifest, all: StudySeries, point: number): Mark[] {
  const runs = manifest.runs.filter((run) => run.point === point);
  const failures = runs.flatMap(({ run, failure }): Mark[] =>
    failure === null
      ? []
      : [{ tick: failure.tick, kind: 'failure', text: `run ${run} failed: ${failure.rule}` }],
  );
  const measured = runs[0] === undefined ? [] : measuredMarks(all, runs[0].run);
  return [...measured, ...failures];
}

export function reportInput(manifest: StudyManifest, all: StudySeries): ReportInput {
  const marks = new Map(manifest.points.map(({ point }) => [point, marksOf(manifest, all, point)]));
  return { manifest, all, names: shortNames(manifest), marks };
}
