import { COMMAND_FILE } from '../core/package-root.js';
import { serveJobs } from '../testing/jobs/job-process.js';
import type { JobTable } from '../testing/jobs/job-runner.js';
import { followParent } from './interrupts.js';
import { SCENARIO } from './run/scenario-job.js';
import { STUDY_RUN } from '../testing/study/study-job.js';

/** The command that runs jobs for its parent process. */
export const JOB_PROGRAM = { program: COMMAND_FILE, args: ['job-worker'] } as const;

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
