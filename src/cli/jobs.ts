import { COMMAND_FILE } from '../core/package-root.js';
import { serveJobs } from '../testing/jobs/job-process.js';
import type { JobRunner } from '../testing/jobs/job-runner.js';
import { ProcessRunner } from '../testing/jobs/process-runner.js';
import { followParent } from './interrupts.js';
import { UsageError, wholeNumber } from './usage.js';
import type { QueueArguments } from './queue/options.js';
import type { QueueCampaign, QueueTask } from './queue/queue-campaign.js';
import { SCENARIO } from './run/scenario-job.js';
import { STUDY_RUN } from '../testing/study/study-job.js';

/** The command that runs jobs for its parent process. */
export const JOB_PROGRAM = { program: COMMAND_FILE, args: ['job-worker'] } as const;

const MAX_WORKERS = 64;

/** Validates --workers; the workers of a queue are started on their own. Throws UsageError. */
export function checkWorkers({ workers, queue }: { workers: number; queue?: string | undefined }): void {
  if (queue !== undefined && workers !== 1)
    throw new UsageError('--workers: not available with --queue; start its workers with sim worker');
  wholeNumber('--workers', workers, 1, MAX_WORKERS);
}

interface RunnerArguments extends Omit<QueueArguments, 'queue'> {
  readonly workers: number;
  readonly queue?: string | undefined;
  readonly name: string;
}

export interface OpenRunner {
  readonly runner: JobRunner;
  /** Null for jobs on this machine. */
  readonly queue: QueueCampaign | null;
  /** Aborted by an interrupt, or when another command cancels the campaign on the queue. */
  readonly signal: AbortSignal;
}

async function campaignOf(args: QueueArguments & { readonly name: string }, task: QueueTask) {
  const { QueueCampaign: Campaign } = await import('./queue/queue-campaign.js');
  return Campaign.open(args, task);
}

/** Runs the jobs of a command on a queue, in processes of this machine, or in this process. When `signal` is aborted, the runner is stopped. */
export async function withRunner<T>(
  { queue: url, workers, ...args }: RunnerArguments,
  given: { readonly signal: AbortSignal; readonly task: () => QueueTask; readonly inline: () => JobRunner },
  work: (open: OpenRunner) => Promise<T>,
): Promise<T> {
  const queue = url === undefined ? null : await campaignOf({ ...args, queue: url }, given.task());
  const runner =
    queue ?? (workers === 1 ? given.inline() : new ProcessRunner({ ...JOB_PROGRAM, count: workers }));
  const signal = AbortSignal.any([given.signal, ...(queue === null ? [] : [queue.cancelled.signal])]);
  const stop = () => runner.stop();
  signal.addEventListener('abort', stop);
  try {
    return await work({ runner, queue, signal });
  } finally {
    signal.removeEventListener('abort', stop);
    await runner.close();
  }
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | null = null;
  return () => (loaded ??= load());
}

/** Runs jobs for the parent process until the parent exits. What a kind of jobs has loaded stays for its further jobs. */
export function jobWorker(): void {
  followParent();
  const scenarios = once(async () => (await import('./run/scenario-jobs.js')).scenarioJobs());
  const studies = once(async () => (await import('../testing/study/study-jobs.js')).studyJobs());
  const campaigns = once(async () => (await import('../testing/fuzz-campaign.js')).fuzzJobs().table);
  serveJobs((name) => (name === SCENARIO ? scenarios() : name === STUDY_RUN ? studies() : campaigns()));
}
