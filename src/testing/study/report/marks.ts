import type { StudyManifest } from '../results.js';
import { type StudySeries } from './study-series.js';
import { figureText } from './texts.js';

/** An event in the runs of a panel, marked at its tick. */
export interface Mark {
  readonly tick: number;
  readonly kind: 'rates' | 'failure';
  readonly text: string;
}

/** Maximum marks of rates. More frequent changes would cover the plot. */
const MOST_CHANGES = 6;

/** The changes of measured rates and prices in a run. */
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

/** The marks of a panel: rate changes of its first run, and failures of all runs. */
export function marksOf(manifest: StudyManifest, all: StudySeries, runs: readonly number[]): Mark[] {
  const failures = manifest.runs.flatMap(({ run, failure }): Mark[] =>
    failure === null || !runs.includes(run)
      ? []
      : [{ tick: failure.tick, kind: 'failure', text: `run ${run} failed: ${failure.rule}` }],
  );
  const measured = runs[0] === undefined ? [] : measuredMarks(all, runs[0]);
  return [...measured, ...failures];
}
