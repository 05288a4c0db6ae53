import { hostname } from 'node:os';
import type { Job } from '../job-runner.js';
import { type JobProcesses, ProcessRunner } from '../process-runner.js';
import type { QueueConnection } from './connection.js';
import { workerName } from './queue-runner.js';

export interface QueueWorkerOptions extends Pick<JobProcesses, 'program' | 'args' | 'execArgv'> {
  /** How many jobs run at once, each in a process. */
  readonly concurrency: number;
  /** Real milliseconds of silence after which other workers take its jobs. */
  readonly leaseMs: number;
}

/** How many workers may take a job before it counts as crashed. */
const MOST_STALLED = 3;

/**
 * Processes the jobs of a queue, each in a separate process: a job that blocks or ends its process does not stop the worker from renewing
 * its leases. `close` takes no more jobs, and resolves when the current ones are done.
 */
export async function openWorker(
  connection: QueueConnection,
  { concurrency, leaseMs, ...program }: QueueWorkerOptions,
) {
  let ended = 0;
  const lookUp = (key: string) => connection.read(connection.keyOf('value', key));
  const processes = new ProcessRunner({ ...program, count: concurrency, lookUp });
  const work = async ({ id = '', data }: { readonly id?: string; readonly data: unknown }) => {
    const job = data as Omit<Job, 'id'>;
    const outcome = await processes.run({ ...job, id });
    await connection.writeResult(id, outcome, job.keptSeconds);
    ended += 1;
  };
  const worker = new connection.bullmq.Worker(connection.queue, work, {
    ...connection.options,
    concurrency,
    name: workerName(hostname(), process.pid, concurrency),
    lockDuration: leaseMs,
    stalledInterval: leaseMs,
    maxStalledCount: MOST_STALLED,
  });
  worker.on('error', (error) => connection.trouble(error));
  await worker.waitUntilReady();
  return {
    /** How many jobs have ended. */
    ended: () => ended,
    close: async () => {
      await worker.close();
      await processes.close();
    },
  };
}
