import { z } from 'zod';

/** A unit of work: the name of a function that every worker has, and its argument. Equal jobs have equal results on any worker. */
export interface Job {
  readonly id: string;
  readonly name: string;
  /** As JSON. */
  readonly data: unknown;
  /** Begins before all jobs that are not urgent. */
  readonly isUrgent?: boolean;
  /** How often a job may end its process before it counts as crashed. Default: 3. */
  readonly attempts?: number;
  /** Real milliseconds from `context.begin()` after which the job's process is killed. Default: no limit. */
  readonly timeoutMs?: number;
  /** Real milliseconds from `stop()` after which the job's process is killed, and the job withdrawn. Default: no limit. */
  readonly stopMs?: number;
  /** How long a queue keeps the result, in seconds. Default: a week. */
  readonly keptSeconds?: number;
}

/**
 * How a job ended. `failed`: it threw an error. `crashed`: its process ended at every attempt, the last time by its time limit if `isLate`.
 * `withdrawn`: it never began, or was killed after `stop()`.
 */
export const JOB_OUTCOME = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('done'), result: z.unknown().default(undefined) }),
  z.object({
    kind: z.literal('failed'),
    error: z.object({ name: z.string(), message: z.string(), stack: z.string() }),
  }),
  z.object({ kind: z.literal('crashed'), reason: z.string(), isLate: z.boolean().optional() }),
  z.object({ kind: z.literal('withdrawn') }),
]);
export type JobOutcome = Readonly<z.output<typeof JOB_OUTCOME>>;
export type JobError = Extract<JobOutcome, { kind: 'failed' }>['error'];

/** Runs jobs: in this process, in processes of this machine, or on other machines. */
export interface JobRunner {
  /** How many jobs to keep submitted at once. */
  readonly window: number;
  /** Makes a value, as JSON, available to jobs. The value must not change. */
  share(key: string, value: unknown): Promise<void>;
  /** Runs a job. Jobs begin in the order in which they are submitted, urgent ones first. Rejects only when the runner itself fails. */
  run(job: Job): Promise<JobOutcome>;
  /** Begins no further jobs except urgent ones, and aborts the signal of running jobs. */
  stop(): void;
  close(): Promise<void>;
}

/** What a job's function receives in addition to its argument. */
export interface JobContext {
  /** A shared value. Rejects if it was not shared. */
  shared(key: string): Promise<unknown>;
  /** Starts the time limit once the job has loaded what it needs. */
  begin(): void;
  /** Aborted when the job should end soon. */
  readonly signal: AbortSignal;
}

export type JobTable = Readonly<Record<string, (data: unknown, context: JobContext) => Promise<unknown>>>;

export const ATTEMPTS = 3;

/** Runs a job's function. An error that it throws is an outcome. */
export async function outcomeOf(
  table: JobTable | Promise<JobTable>,
  { name, data }: Pick<Job, 'name' | 'data'>,
  context: JobContext,
): Promise<JobOutcome> {
  try {
    const { [name]: work } = await table;
    if (work === undefined) throw new RangeError(`there is no job ${name}`);
    return { kind: 'done', result: await work(data, context) };
  } catch (error) {
    const given = error instanceof Error ? error : new Error(String(error));
    const { name: kind, message, stack = message } = given;
    return { kind: 'failed', error: { name: kind, message, stack } };
  }
}

export function thrown({ name, message, stack }: JobError): Error {
  return Object.assign(new Error(message), { name, stack });
}
