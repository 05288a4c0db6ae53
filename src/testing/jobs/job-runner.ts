/** A unit of work: a function that every worker has, by name, and its argument. Equal jobs have equal results, whoever runs them. */
export interface Job {
  readonly id: string;
  readonly name: string;
  /** As JSON. */
  readonly data: unknown;
  /** Begins before all that are not. */
  readonly isUrgent?: boolean;
  /** How often it may end its process before it counts as crashed. Default: 3. */
  readonly attempts?: number;
  /** Real milliseconds from `context.begin()` after which its process is ended. Default: no limit. */
  readonly timeoutMs?: number;
}

/** An error that a job threw, as it crosses processes. */
export interface JobError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/** How a job ended. `crashed`: its process ended each time. `withdrawn`: it has not begun. */
export type JobOutcome =
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly error: JobError }
  | { readonly kind: 'crashed'; readonly reason: string }
  | { readonly kind: 'withdrawn' };

/** Runs jobs: in this process, in processes of this machine, or on other machines. */
export interface JobRunner {
  /** How many jobs are worth having submitted at once. */
  readonly window: number;
  /** Makes a value, as JSON, available to jobs. It must not change. */
  share(key: string, value: unknown): Promise<void>;
  /** Runs a job. Jobs begin in the order in which they are submitted, urgent ones first. Rejects only when the runner itself fails. */
  run(job: Job): Promise<JobOutcome>;
  /** Begins no more jobs but urgent ones, and lets jobs know by their signal. */
  stop(): void;
  close(): Promise<void>;
}

/** What a job's function is given besides its argument. */
export interface JobContext {
  /** A value that was shared. Rejects for one that was not. */
  shared(key: string): Promise<unknown>;
  /** Starts the time limit, when what the job needs is loaded. */
  begin(): void;
  /** Aborted when the result is wanted soon. */
  readonly signal: AbortSignal;
}

/** The functions of jobs by name. */
export type JobTable = Readonly<Record<string, (data: unknown, context: JobContext) => Promise<unknown>>>;

/** Default of `Job.attempts`. */
export const ATTEMPTS = 3;

/** Runs a job's function; an error that it throws is an outcome. */
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
