import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type StudyPlan, planStudy, runOf } from '../../../src/testing/study/plan.js';
import { NO_MODULE, loadModule } from '../../../src/testing/study/module.js';
import { type RunResult, playRun } from '../../../src/testing/study/play/play-run.js';
import { InlineRunner } from '../../../src/testing/jobs/inline-runner.js';
import { ResultFolder } from '../../../src/testing/study/result-folder.js';
import type { StudyManifest } from '../../../src/testing/study/results.js';
import { type StudyWork, playRuns, writeResults } from '../../../src/testing/study/run-study.js';
import { studyJobs } from '../../../src/testing/study/study-jobs.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** A study of all personas that takes a second. */
export const SMALL = `
name: Does the daily cap bind?
population:
  count: 16
  personas: { saver: 2, spender: 2, borrower: 1, payer: 2, shop: 1, defaulter: 1, attacker: 1 }
  activity: 1.5
span: 6d
world: { engine: litesvm }
sweep: { world.limits.dailyWithdrawalUsd: [20, 1000] }
repetitions: 2
`;

/** Writes a study, and files that it refers to, to a folder of its own. */
export function written(text: string, others: Readonly<Record<string, string>> = {}): string {
  const at = temporaryFolder();
  for (const [name, content] of Object.entries({ 'study.yaml': text, ...others }))
    writeFileSync(join(at, name), content);
  return join(at, 'study.yaml');
}

/** The plan of a study that is written so. */
export function plannedStudy(text: string, others?: Readonly<Record<string, string>>): Promise<StudyPlan> {
  return planStudy(written(text, others));
}

/** A small part of a study: nine agents, few ticks, and one run of each point. */
export function partOf(plan: StudyPlan, ticks: number): StudyPlan {
  const points = plan.points.map((point) => ({ ...point, population: { ...point.population, count: 9 } }));
  return { ...plan, points, ticks, study: { ...plan.study, repetitions: 1 } };
}

/** Plays a run of a plan. */
export async function played(
  plan: StudyPlan,
  run = 1,
  onTick?: Parameters<typeof playRun>[2]['onTick'],
): Promise<RunResult> {
  const module = plan.module === null ? NO_MODULE : await loadModule(plan.module.path);
  return playRun(plan, runOf(plan, run), { module, onTick });
}

/** A new folder for the results of a plan. */
export function begun(plan: StudyPlan, path = join(temporaryFolder(), 'out')): ResultFolder {
  return ResultFolder.begin(path, plan, 'v1');
}

/** Plays the missing runs of a folder in this process; resolves to whether it has all. */
export function work(plan: StudyPlan, folder: ResultFolder, more: Partial<StudyWork> = {}): Promise<boolean> {
  const { signal } = new AbortController();
  const runner = new InlineRunner(studyJobs());
  return playRuns(plan, { folder, runner, key: 'study', signal, onRun: () => undefined, ...more });
}

/** Plays a study; resolves to the folder of its results. */
export async function finished(
  plan: StudyPlan,
  folder = begun(plan),
): Promise<{ path: string; manifest: StudyManifest }> {
  if (!(await work(plan, folder))) throw new Error('a result is missing');
  return { path: folder.path, manifest: await writeResults(plan, folder) };
}

/** The values of a metric's key by tick. */
export function seriesOf({ series }: RunResult, metric: string, key: string): Map<number, number> {
  const number = series.keys.findIndex(([name, of]) => name === metric && of === key);
  const found = new Map<number, number>();
  for (let at = 0; at < series.rows.length; at += 3)
    if (series.rows[at + 1] === number) found.set(series.rows[at] as number, series.rows[at + 2] as number);
  return found;
}
