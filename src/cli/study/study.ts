import { basename, extname } from 'node:path';
import { BrokenFile } from '../../testing/scenario/scenario.js';
import { InlineRunner } from '../../testing/jobs/inline-runner.js';
import type { JobRunner } from '../../testing/jobs/job-runner.js';
import { ProcessRunner } from '../../testing/jobs/process-runner.js';
import { type StudyPlan, planDigest, planStudy, runCount } from '../../testing/study/plan.js';
import type { RunResult } from '../../testing/study/play/play-run.js';
import { ResultFolder, WrongFolder } from '../../testing/study/result-folder.js';
import type { StudyManifest } from '../../testing/study/results.js';
import { playRuns, writeResults } from '../../testing/study/run-study.js';
import { studyJobs } from '../../testing/study/study-jobs.js';
import { Interrupts } from '../interrupts.js';
import { JOB_PROGRAM } from '../jobs.js';
import { programVersion } from '../queue/options.js';
import { EXIT, UsageError } from '../usage.js';
import { counted } from '../fuzz/progress.js';
import { type StudyProgress, StudyProgressView } from './progress.js';

/** Arguments of `sim study`. */
export interface StudyArguments {
  readonly file?: string | undefined;
  readonly out?: string | undefined;
  readonly resume?: string | undefined;
  readonly seed?: number | undefined;
  readonly workers: number;
  readonly queue?: string | undefined;
  readonly queuePrefix: string;
  readonly name: string;
  readonly json: boolean;
}

const MAX_WORKERS = 64;
const MAX_SEED = 2 ** 31 - 1;

function checkArguments({ file, out, resume, seed, workers, queue }: StudyArguments): void {
  if (!Number.isInteger(workers) || workers < 1 || workers > MAX_WORKERS)
    throw new UsageError(`--workers must be a whole number from 1 to ${MAX_WORKERS}`);
  if (seed !== undefined && !(Number.isInteger(seed) && seed >= 0 && seed <= MAX_SEED))
    throw new UsageError(`--seed must be a whole number from 0 to ${MAX_SEED}`);
  if (queue !== undefined && workers !== 1)
    throw new UsageError('--workers: the workers of a queue are started by sim worker');
  if (resume === undefined) {
    if (file === undefined) throw new UsageError('give the file of a study, or --resume with its folder');
    return;
  }
  for (const [name, value] of Object.entries({ file, '--out': out, '--seed': seed }))
    if (value !== undefined)
      throw new UsageError(`--resume: the folder holds the whole study; leave ${name} out`);
}

/** The study to play and the folder of its results. Throws UsageError. */
async function opened(args: StudyArguments): Promise<{ plan: StudyPlan; folder: ResultFolder }> {
  const { file = '', resume, seed } = args;
  try {
    if (resume !== undefined) return ResultFolder.resume(resume, programVersion());
    const plan = await planStudy(file, { seed });
    const out = args.out ?? `${basename(file, extname(file))}-results`;
    return { plan, folder: ResultFolder.begin(out, plan, programVersion()) };
  } catch (error) {
    if (error instanceof BrokenFile || error instanceof WrongFolder) throw new UsageError(error.message);
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined) throw new UsageError((error as Error).message);
    throw error;
  }
}

/** Adds up the results of runs as they come. */
class ProgressCount {
  #runs = 0;
  #ticks = 0;
  #actions = 0;
  #failed = 0;
  /** The run that is played in this process. */
  #playing = { ticks: 0, actions: 0 };
  readonly #plan: StudyPlan;

  constructor(plan: StudyPlan) {
    this.#plan = plan;
  }

  add({ actions, failure }: RunResult): void {
    this.#runs += 1;
    this.#ticks += this.#plan.ticks;
    this.#actions += actions;
    this.#failed += failure === null ? 0 : 1;
    this.#playing = { ticks: 0, actions: 0 };
  }

  played(ticks: number, actions: number): void {
    this.#playing = { ticks, actions };
  }

  now(): StudyProgress {
    const of = runCount(this.#plan);
    return {
      runs: this.#runs,
      of,
      ticks: this.#ticks + this.#playing.ticks,
      ofTicks: of * this.#plan.ticks,
      actions: this.#actions + this.#playing.actions,
      failed: this.#failed,
    };
  }
}

/** What plays the runs, and what ends with it. */
interface StudyRunner {
  readonly runner: JobRunner;
  readonly key: string;
  readonly signals: readonly AbortSignal[];
  readonly close: (isFinished: boolean | null, progress: StudyProgress) => Promise<void>;
}

async function runnerOf(
  args: StudyArguments,
  plan: StudyPlan,
  played: (ticks: number, actions: number) => void,
): Promise<StudyRunner> {
  const { queue, workers } = args;
  if (queue !== undefined) {
    const { openStudyQueue } = await import('../queue/study-queue.js');
    return openStudyQueue({ ...args, queue }, { digest: planDigest(plan), runs: runCount(plan) });
  }
  const runner =
    workers > 1
      ? new ProcessRunner({ ...JOB_PROGRAM, count: workers })
      : new InlineRunner(studyJobs((_run, tick, _sim, actions) => played(tick, actions)));
  return { runner, key: 'study', signals: [], close: () => runner.close() };
}

function summaryText({ study: { name }, runs, points }: StudyManifest, folder: string): string {
  const actions = runs.reduce((sum, run) => sum + run.actions, 0);
  const onChain = runs.reduce((sum, run) => sum + run.onChain, 0);
  const failed = runs.filter(({ failure }) => failure !== null);
  const lines = [
    name,
    `${counted(runs.length)} runs of ${counted(points.length)} point${points.length === 1 ? '' : 's'}, ${counted(actions)} actions, ${counted(onChain)} of them on chain`,
    ...failed.map(({ run, seed, failure }) => {
      const { tick, rule, text, state } = failure ?? { tick: 0, rule: '', text: '', state: null };
      const look = state === null ? '' : `; sim inspect ${folder}/${state}`;
      return `run ${run} failed at tick ${tick}, seed ${seed}: ${rule}: ${text}${look}`;
    }),
    `${folder}/report.html, metrics.csv, metrics.parquet, manifest.json`,
  ];
  return `${lines.join('\n')}\n`;
}

async function play(args: StudyArguments, interrupts: Interrupts): Promise<void> {
  const { plan, folder } = await opened(args);
  const count = new ProgressCount(plan);
  for (let run = 1; run <= runCount(plan); run += 1) if (folder.has(run)) count.add(folder.result(run));
  const view = new StudyProgressView({
    isJson: args.json,
    nowMs: () => performance.now(),
    begun: count.now(),
  });
  const show = () => view.show(count.now());
  const { runner, key, signals, close } = await runnerOf(args, plan, (ticks, actions) => {
    count.played(ticks, actions);
    show();
  });
  const signal = AbortSignal.any([interrupts.signal, ...signals]);
  const stop = () => runner.stop();
  signal.addEventListener('abort', stop);
  let isFinished: boolean | null = null;
  try {
    isFinished = await playRuns(plan, {
      folder,
      runner,
      key,
      signal,
      onRun: (result) => {
        count.add(result);
        show();
      },
    });
  } finally {
    signal.removeEventListener('abort', stop);
    view.clear();
    await close(isFinished, count.now());
  }
  if (!isFinished) {
    process.stderr.write(`sim: interrupted; go on with: sim study --resume ${folder.path}\n`);
    process.exitCode = interrupts.exitCode ?? EXIT.failed;
    return;
  }
  const manifest = await writeResults(plan, folder);
  process.stdout.write(
    args.json
      ? `${JSON.stringify({ kind: 'result', folder: folder.path, runs: manifest.runs })}\n`
      : summaryText(manifest, folder.path),
  );
  if (manifest.runs.some(({ failure }) => failure !== null)) process.exitCode = EXIT.failed;
}

/** Plays a study and writes its results. Sets exit code 1 when a run failed, else that of an interrupting signal. */
export async function study(args: StudyArguments): Promise<void> {
  checkArguments(args);
  await Interrupts.during((interrupts) => play(args, interrupts));
}
