import { csvText } from '../../core/csv.js';
import { intervalOf } from './interval.js';
import type { StudyManifest, StudyRun } from './results.js';
import type { KeySeries, StudySeries } from './report/study-series.js';

interface Outcome {
  readonly metric: string;
  readonly key: string;
  readonly persona: string;
  /** Null for a run without it. */
  readonly of: (run: StudyRun) => number | null;
}

/** The metrics with a daily limit, whose keys name every persona that made such calls. */
const LIMITED = ['limitUse', 'limitHits'];
const DIGITS = 12;

/** The keys of a metric, also keys of a daily limit that have no rows in `metrics.csv`; one empty key if there are none. */
function keysOf(metric: string, { manifest, all }: { manifest: StudyManifest; all: StudySeries }) {
  const measured = all.keysOf(metric);
  const limits = LIMITED.includes(metric) ? limitKeys(manifest) : [];
  const expected = measured.length + limits.length === 0 ? [''] : limits;
  const missing = expected.filter((key) => measured.every((series) => series.key !== key));
  const facts = manifest.metrics[metric] as KeySeries['facts'];
  return [...measured, ...missing.map((key): KeySeries => ({ metric, key, facts, byRun: new Map() }))];
}

function limitKeys({ runs }: StudyManifest): string[] {
  return [...new Set(runs.flatMap(({ limits }) => Object.keys(limits)))].toSorted();
}

const personaOf = (key: string) => key.slice(key.lastIndexOf('/') + 1);

/** The results of all metrics but `rates`, as the report compares them, and the refused share of the calls under each limit. */
function outcomesOf(manifest: StudyManifest, all: StudySeries): Outcome[] {
  const results = Object.keys(manifest.metrics)
    .filter((metric) => metric !== 'rates')
    .flatMap((metric) => keysOf(metric, { manifest, all }))
    .map((series): Outcome => {
      const { metric, key, facts } = series;
      const persona = facts.keys.endsWith('persona') ? personaOf(key) : '';
      return { metric, key, persona, of: ({ run }) => all.resultOf(series, run) };
    });
  const shares = limitKeys(manifest).map((key): Outcome => {
    const of = ({ limits }: StudyRun) => {
      const { calls, refused } = limits[key] ?? { calls: 0, refused: 0 };
      return calls === 0 ? null : refused / calls;
    };
    return { metric: 'refusedShare', key, persona: personaOf(key), of };
  });
  return [...results, ...shares];
}

/**
 * `summary.csv`: for each point and metric, the mean over the completed runs and its 95 % t-interval; of the runs with such calls for
 * `refusedShare`. A figure that does not exist is empty.
 */
export function summaryText(manifest: StudyManifest, all: StudySeries): string {
  const { parameters, points } = manifest;
  const outcomes = outcomesOf(manifest, all);
  const figure = (value: number) => (Number.isNaN(value) ? '' : Number(value.toPrecision(DIGITS)));
  const rows = points.flatMap(({ point, values }) => {
    const runs = manifest.runs.filter((run) => run.point === point && run.failure === null);
    return outcomes.map(({ metric, key, persona, of }) => {
      const { n, mean, low, high } = intervalOf(runs.map(of).filter((result) => result !== null));
      const swept = parameters.map((path) => values[path]);
      return [point, ...swept, metric, key, persona, n, ...[mean, low, high].map(figure)];
    });
  });
  return csvText([['point', ...parameters, 'metric', 'key', 'persona', 'n', 'mean', 'low', 'high'], ...rows]);
}
