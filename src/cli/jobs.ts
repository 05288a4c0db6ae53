import { COMMAND_FILE } from '../core/package-root.js';
import { serveJobs } from '../testing/jobs/job-process.js';
import type { JobTable } from '../testing/jobs/job-runner.js';
import { followParent } from './interrupts.js';
import { SCENARIO } from './run/scenario-job.js';
import { STUDY_RUN } from '../testing/study/study-job.js';

/** The command that runs jobs for its parent process. */
export const JOB_PROGRAM = { program: COMMAND_FILE, args: ['job-worker'] } as const;

/** A function that caches its first result. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** Runs jobs for the parent process until the parent exits. Loads modules on first use. */
export function jobWorker(): void {
  followParent();
  const scenarios = once(async (): Promise<JobTable> =>
    (await import('./run/scenario-jobs.js')).scenarioJobs(),
  );
  const fuzz = once(
    async (): Promise<JobTable> => (await import('../testing/fuzz-campaign.js')).fuzzJobs().table,
  );
  const studies = once(async (): Promise<JobTable> =>
    (await import('../testing/study/study-jobs.js')).studyJobs(),
  );
  serveJobs((name) => {
    if (name === SCENARIO) return scenarios();
    return name === STUDY_RUN ? studies() : fuzz();
  });
}
