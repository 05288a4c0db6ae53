import { COMMAND_FILE } from '../core/package-root.js';
import { serveJobs } from '../testing/jobs/job-process.js';
import type { JobTable } from '../testing/jobs/job-runner.js';
import { followParent } from './interrupts.js';
import { UsageError, wholeNumber } from './usage.js';
import { SCENARIO } from './run/scenario-job.js';
import { STUDY_RUN } from '../testing/study/study-job.js';

/** The command that runs jobs for its parent process. */
export const JOB_PROGRAM = { program: COMMAND_FILE, args: ['job-worker'] } as const;

const MAX_WORKERS = 64;

/** Validates --workers; the workers of a queue are started on their own. Throws UsageError. */
export function checkWorkers({ workers, queue }: { workers: number; queue?: string | undefined }): number {
  if (queue !== undefined && workers !== 1)
    throw new UsageError('--workers: not available with --queue; start its workers with sim worker');
  return wholeNumber('--workers', workers, 1, MAX_WORKERS);
}

/** The functions for a job. Modules are loaded on first use. */
async function tableFor(name: string): Promise<JobTable> {
  if (name === SCENARIO) return (await import('./run/scenario-jobs.js')).scenarioJobs();
  if (name === STUDY_RUN) return (await import('../testing/study/study-jobs.js')).studyJobs();
  return (await import('../testing/fuzz-campaign.js')).fuzzJobs().table;
}

/** Runs jobs for the parent process until the parent exits. */
export function jobWorker(): void {
  followParent();
  // What a table has loaded stays for its further jobs.
  const tables = new Map<string, Promise<JobTable>>();
  serveJobs((name) => {
    const kind = name === SCENARIO || name === STUDY_RUN ? name : 'fuzz';
    const table = tables.get(kind) ?? tableFor(name);
    tables.set(kind, table);
    return table;
  });
}
