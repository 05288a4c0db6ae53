import { counted } from '../../core/counted.js';
import { basename, extname } from 'node:path';
import { isoOf } from '../../core/domain/calendar.js';
import { InlineRunner } from '../../testing/jobs/inline-runner.js';
import { type StudyPlan, planStudy, runCount, runOf } from '../../testing/study/plan.js';
import { type RunResult, worldOfRun } from '../../testing/study/play/play-run.js';
import { ResultFolder } from '../../testing/study/result-folder.js';
import type { StudyManifest } from '../../testing/study/results.js';
import { playRuns, writeResults } from '../../testing/study/run-study.js';
import { moduleOf, studyJobs } from '../../testing/study/study-jobs.js';
import { type Interrupts, interruptible } from '../interrupts.js';
import { checkWorkers, withRunner } from '../jobs.js';
import { programVersion } from '../queue/options.js';
import type { StudyArguments } from './flags.js';
import { EXIT, UsageError, wholeNumber } from '../usage.js';
import { HISTORY } from '../world.js';
import { printResult } from '../print-result.js';
import { type ProgressReport, ProgressView, progressCount } from '../progress.js';

const MAX_SEED = 2 ** 31 - 1;

function checkInspect({ inspect, tick, out, resume, queue, workers }: StudyArguments): void {
  if (inspect === undefined) {
    if (tick !== undefined) throw new UsageError('--tick needs --inspect');
    return;
  }
  if (out !== undefined || resume !== undefined || queue !== undefined || workers !== 1)
    throw new UsageError(
      '--inspect plays one run in this process and writes nothing: leave out --out, --resume, --queue and --workers',
    );
}

function checkArguments(args: StudyArguments): void {
  const { file, out, resume, seed } = args;
  checkInspect(args);
  checkWorkers(args);
  if (seed !== undefined) wholeNumber('--seed', seed, 0, MAX_SEED);
  if (resume === undefined) {
    if (file === undefined) throw new UsageError('give a study file, or --resume with a results folder');
    return;
  }
  for (const [name, value] of Object.entries({ file, '--out': out, '--seed': seed }))
    if (value !== undefined)
      throw new UsageError(`--resume: the folder holds the complete study; omit ${name}`);
}

/** Throws UsageError for a study or folder that cannot be read or written. */
async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new UsageError(message);
  }
}

/** The study to play and the folder of its results. Throws UsageError, BrokenFile or WrongFolder. */
function opened(args: StudyArguments): Promise<{ plan: StudyPlan; folder: ResultFolder }> {
  const { file = '', resume, seed } = args;
  return reading(async () => {
    if (resume !== undefined) return ResultFolder.resume(resume, programVersion());
    const plan = await planStudy(file, { seed });
    const out = args.out ?? `${basename(file, extname(file))}-results`;
    return { plan, folder: ResultFolder.begin(out, plan, programVersion()) };
  });
}

/** Adds up the results of runs as they arrive. */
function progressOf(plan: StudyPlan) {
  const total = runCount(plan);
  const count = progressCount(total, 'runs', 'actions');
  let playing = { ticks: 0, actions: 0 };
  /** Counted in runs, for the queue. */
  const report = () => count.report(playing.actions);
  return {
    report,
    add: ({ actions, failure }: RunResult) => {
      count.add(actions, failure !== null);
      playing = { ticks: 0, actions: 0 };
    },
    played: (ticks: number, actions: number) => {
      playing = { ticks, actions };
    },
    /** Counted in ticks, to estimate the time of a single run. */
    tickReport: (): ProgressReport => {
      const { done, ...runs } = report();
      return {
        ...runs,
        unit: 'ticks',
        done: done * plan.ticks + playing.ticks,
        total: total * plan.ticks,
        more: [`${counted(done)} of ${counted(total, 'run')}`],
      };
    },
  };
}

function summaryText({ study: { name }, runs, points }: StudyManifest, folder: string): string {
  const actions = runs.reduce((sum, run) => sum + run.actions, 0);
  const onChain = runs.reduce((sum, run) => sum + run.onChain, 0);
  const failed = runs.filter(({ failure }) => failure !== null);
  return [
    name,
    `${counted(runs.length, 'run')} of ${counted(points.length, 'point')}, ${counted(actions, 'action')}, ${counted(onChain)} of them on chain`,
    ...failed.map(({ run, seed, failure }) => {
      const { tick, rule, text, state } = failure ?? { tick: 0, rule: '', text: '', state: null };
      const look = state === null ? '' : `; sim inspect ${folder}/${state}`;
      return `run ${run} failed at tick ${tick}, seed ${seed}: ${rule}: ${text}${look}`;
    }),
    `${folder}/report.html, summary.csv, metrics.csv, metrics.parquet, manifest.json`,
  ].join('\n');
}

/** Plays the missing runs. Resolves to whether all results exist. */
async function playAll(
  args: StudyArguments,
  { plan, folder }: { plan: StudyPlan; folder: ResultFolder },
  interrupts: Interrupts,
): Promise<boolean> {
  const count = progressOf(plan);
  for (let run = 1; run <= runCount(plan); run += 1) if (folder.has(run)) count.add(folder.result(run));
  const view = new ProgressView({ isJson: args.json });
  const show = () => view.update(() => count.tickReport());
  show();
  const onTick = (ticks: number, actions: number) => {
    count.played(ticks, actions);
    show();
  };
  const jobs = {
    signal: interrupts.signal,
    task: () => ({ kind: 'study', unit: 'runs', total: runCount(plan), identity: plan }) as const,
    inline: () => new InlineRunner(studyJobs(onTick)),
  };
  return withRunner(args, jobs, async ({ runner, queue, signal }) => {
    const isWhole = await playRuns(plan, {
      folder,
      runner,
      key: queue?.key ?? 'study',
      signal,
      onRun: async (result) => {
        count.add(result);
        show();
        await queue?.report(count.report);
      },
    });
    await queue?.end(isWhole ? 'finished' : 'interrupted', count.report());
    return isWhole;
  }).finally(() => view.clear());
}

async function play(args: StudyArguments, interrupts: Interrupts): Promise<void> {
  const { plan, folder } = await opened(args);
  if (!(await playAll(args, { plan, folder }, interrupts))) {
    process.stderr.write(`sim: interrupted; continue with: sim study --resume ${folder.path}\n`);
    process.exitCode = interrupts.exitCode ?? EXIT.failed;
    return;
  }
  const manifest = await writeResults(plan, folder);
  printResult(args, { folder: folder.path, runs: manifest.runs }, summaryText(manifest, folder.path));
  if (manifest.runs.some(({ failure }) => failure !== null)) process.exitCode = EXIT.failed;
}

/** Plays a run up to a tick and serves its world. Sets exit code 1 if the run failed before that tick. */
async function inspectRun(args: StudyArguments, run: number, { signal }: Interrupts): Promise<void> {
  const plan = await reading(() => planStudy(args.file ?? '', { seed: args.seed }));
  const until = args.tick ?? plan.ticks;
  wholeNumber('--inspect', run, 1, runCount(plan));
  wholeNumber('--tick', until, 0, plan.ticks);
  const view = new ProgressView({ isJson: args.json });
  const onTick = (done: number, _sim: unknown, actions: number) =>
    view.update(() => ({
      unit: 'ticks',
      done,
      total: until,
      work: { unit: 'actions', done: actions },
      found: 0,
      foundAs: 'failed',
    }));
  const { serveUntilStopped } = await import('../inspect/inspect.js');
  const { sim, tick, failure } = await worldOfRun(plan, runOf(plan, run), {
    module: await moduleOf(plan),
    history: HISTORY,
    until,
    signal,
    onTick,
  }).finally(() => view.clear());
  try {
    if (failure !== null) {
      process.stderr.write(`run ${run} failed at tick ${tick}: ${failure.rule}: ${failure.text}\n`);
      process.exitCode = EXIT.failed;
    }
    if (signal.aborted) return;
    process.stderr.write(`run ${run} after tick ${tick}, ${isoOf(sim.now().getTime())}\n`);
    await serveUntilStopped((port) => sim.listen({ port }), { port: 0, signal });
  } finally {
    await sim.close();
  }
}

/** Plays a study and writes its results. Sets exit code 1 if a run failed, otherwise the code of an interrupting signal. */
export async function study(args: StudyArguments): Promise<void> {
  checkArguments(args);
  const { inspect } = args;
  if (inspect !== undefined) {
    await interruptible((interrupts) => inspectRun(args, inspect, interrupts));
    return;
  }
  await interruptible((interrupts) => play(args, interrupts));
}
