import { NATIVE_BUILDS } from '../../chain/engines/native.js';
import { isoOf } from '../../core/domain/calendar.js';
import { packageVersion } from '../../core/package-root.js';
import { type Job, type JobOutcome, type JobRunner, thrown } from '../jobs/job-runner.js';
import { runSeed } from './design.js';
import type { RunResult } from './play/play-run.js';
import { type StudyPlan, runCount, runOf } from './plan.js';
import type { ResultFolder } from './result-folder.js';
import type { StudyManifest, StudyRun } from './results.js';
import { STUDY_RUN } from './study-job.js';
import { StudySeries } from './report/study-series.js';
import { studyPage } from './report/page.js';
import { summaryText } from './summary.js';
import { MetricsWriter, rowsOf } from './write-metrics.js';

export interface StudyWork {
  readonly folder: ResultFolder;
  readonly runner: JobRunner;
  /** Unique among the studies of the runner. */
  readonly key: string;
  /** When aborted, no more runs start. */
  readonly signal: AbortSignal;
  readonly onRun: (result: RunResult) => void | Promise<void>;
}

function crashed(plan: StudyPlan, run: number, reason: string): RunResult {
  const planned = runOf(plan, run);
  return {
    ...planned,
    seed: runSeed(plan.study.seed, planned.repetition),
    ticks: 0,
    actions: 0,
    refused: 0,
    onChain: 0,
    entries: 0,
    limits: {},
    series: { keys: [], rows: [] },
    failure: { tick: 0, at: isoOf(plan.startMs), rule: 'crashed', text: reason, state: null },
    entriesFile: null,
    eventsFile: null,
  };
}

/** The result of a run; null if it did not start. Throws errors that concern all runs, such as a missing module. */
function resultOf(plan: StudyPlan, run: number, outcome: JobOutcome): RunResult | null {
  switch (outcome.kind) {
    case 'done':
      return outcome.result as RunResult;
    case 'crashed':
      return crashed(plan, run, outcome.reason);
    case 'failed':
      throw thrown(outcome.error);
    case 'withdrawn':
      return null;
  }
}

const runsOf = (plan: StudyPlan) => Array.from({ length: runCount(plan) }, (_, at) => at + 1);

/** Plays the runs whose results the folder lacks. Resolves to whether the folder has all results. */
export async function playRuns(plan: StudyPlan, work: StudyWork): Promise<boolean> {
  const { folder, runner, key, signal, onRun } = work;
  const runs = runsOf(plan);
  await runner.share(key, plan);
  // The players take from one iterator.
  const missing = runs.filter((run) => !folder.has(run)).values();
  const player = async (): Promise<void> => {
    for (const run of missing) {
      if (signal.aborted) return;
      const job: Job = { id: `${key}-${run}`, name: STUDY_RUN, data: { study: key, run } };
      const result = resultOf(plan, run, await runner.run(job));
      if (result === null) continue;
      folder.keep(result);
      await onRun(result);
    }
  };
  await Promise.all(Array.from({ length: runner.window }, player));
  return runs.every((run) => folder.has(run));
}

/** The part of a result for the manifest. Writes the files of the result to the folder. */
function runFacts(folder: ResultFolder, result: RunResult): StudyRun {
  const { series: _rows, entriesFile, eventsFile, failure, ...facts } = result;
  const { run } = facts;
  if (entriesFile !== null) folder.write(`entries/run-${run}.parquet`, Buffer.from(entriesFile, 'base64'));
  if (eventsFile !== null) folder.write(`events/run-${run}.jsonl`, eventsFile);
  if (failure === null) return { ...facts, failure };
  const state = failure.state === null ? null : `failures/run-${run}.sim`;
  if (state !== null) folder.write(state, Buffer.from(failure.state ?? '', 'base64'));
  return { ...facts, failure: { ...failure, state } };
}

/** Writes the results of a study whose runs have all ended, and deletes its state. */
export async function writeResults(plan: StudyPlan, folder: ResultFolder): Promise<StudyManifest> {
  const { study, points, tickMs, ticks, startMs, module, metrics } = plan;
  const writer = await MetricsWriter.begin(folder, plan);
  const series = new StudySeries(plan);
  const runs: StudyRun[] = [];
  for (const run of runsOf(plan)) {
    const result = folder.result(run);
    const rows = rowsOf(plan, result);
    await writer.write(rows);
    for (const row of rows) series.add(row);
    runs.push(runFacts(folder, result));
  }
  await writer.finish();
  const engines = Object.entries(NATIVE_BUILDS).map(([name, { version }]) => [name, version]);
  const manifest: StudyManifest = {
    format: 'agent-bank-sim study',
    version: 1,
    software: { 'agent-bank-sim': packageVersion(), ...Object.fromEntries(engines) },
    study,
    moduleSha256: module?.sha256 ?? null,
    startTime: isoOf(startMs),
    tickMs,
    ticks,
    population: points.map(({ agents }) => agents),
    parameters: Object.keys(study.sweep),
    points: points.map(({ point, values }) => ({ point, values })),
    metrics,
    runs,
  };
  folder.write('summary.csv', summaryText(manifest, series));
  folder.write('report.html', studyPage(manifest, series));
  folder.write('manifest.json', `${JSON.stringify(manifest, null, 2)}\n`);
  folder.end();
  return manifest;
}
