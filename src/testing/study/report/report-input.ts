import type { StudyManifest } from '../results.js';
import { type Mark, marksOf } from './marks.js';
import type { StudySeries } from './study-series.js';
import { shortNames } from './texts.js';

/** What the parts of a report are made from. */
export interface ReportInput {
  readonly manifest: StudyManifest;
  readonly all: StudySeries;
  /** Short names of the swept options, by path. */
  readonly names: ReadonlyMap<string, string>;
  /** By point. */
  readonly marks: ReadonlyMap<number, Mark[]>;
}

export function reportInput(manifest: StudyManifest, all: StudySeries): ReportInput {
  const marks = manifest.points.map(({ point }): [number, Mark[]] => {
    const runs = manifest.runs.filter((run) => run.point === point).map(({ run }) => run);
    return [point, marksOf(manifest, all, runs)];
  });
  return { manifest, all, names: shortNames(manifest), marks: new Map(marks) };
}
