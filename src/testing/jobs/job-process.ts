import { type Job, type JobContext, type JobOutcome, type JobTable, outcomeOf } from './job-runner.js';

export type ToJobProcess =
  | { readonly kind: 'run'; readonly job: Pick<Job, 'name' | 'data'> }
  /** A shared value; undefined when it does not exist. */
  | { readonly kind: 'value'; readonly key: string; readonly value: unknown }
  | { readonly kind: 'stop' };

export type FromJobProcess =
  | { readonly kind: 'ready' }
  | { readonly kind: 'need'; readonly key: string }
  | { readonly kind: 'begun' }
  | { readonly kind: 'ended'; readonly outcome: JobOutcome };

/** Runs jobs for the parent process, one at a time. `tableOf` returns the functions among which a job's function is. */
export function serveJobs(tableOf: (name: string) => JobTable | Promise<JobTable>): void {
  const say = (message: FromJobProcess) => process.send?.(message);
  const stopped = new AbortController();
  const needed = new Map<string, (message: ToJobProcess & { kind: 'value' }) => void>();
  const context: JobContext = {
    shared: (key) =>
      new Promise((resolve, reject) => {
        needed.set(key, ({ value }) => {
          if (value === undefined) reject(new RangeError(`there is no shared value ${key}`));
          else resolve(value);
        });
        say({ kind: 'need', key });
      }),
    begin: () => say({ kind: 'begun' }),
    signal: stopped.signal,
  };
  process.on('message', (message: ToJobProcess) => {
    if (message.kind === 'stop') stopped.abort();
    else if (message.kind === 'value') needed.get(message.key)?.(message);
    else
      void outcomeOf(tableOf(message.job.name), message.job, context).then((outcome) =>
        say({ kind: 'ended', outcome }),
      );
  });
  say({ kind: 'ready' });
}
