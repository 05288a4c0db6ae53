import { readFileSync, writeFileSync } from 'node:fs';
import { serveJobs } from '../../../src/testing/jobs/job-process.js';
import type { JobTable } from '../../../src/testing/jobs/job-runner.js';

/** Jobs for tests of runners. `crash` counts its attempts in a file, and ends its process until there were enough. */
export const JOBS: JobTable = {
  pid: async () => process.pid,
  double: async (data) => ({ doubled: 2 * (data as number) }),
  shared: async (data, context) => ({ value: await context.shared(data as string) }),
  fail: async (data) => {
    throw new RangeError(String(data));
  },
  crash: async (data) => {
    const { file, times } = data as { file: string; times: number };
    const attempts = Number(readFileSync(file, 'utf8')) + 1;
    writeFileSync(file, String(attempts));
    if (attempts <= times) process.kill(process.pid, 'SIGKILL');
    return { attempts };
  },
  endless: async (_data, context) => {
    context.begin();
    for (;;);
  },
  untilStopped: async (_data, { signal }) => {
    if (!signal.aborted)
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve, { once: true });
      });
    return 'stopped';
  },
};

if (process.send !== undefined && process.argv.includes('serve')) {
  process.once('disconnect', () => process.exit());
  serveJobs(() => JOBS);
}
