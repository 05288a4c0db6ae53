import {
  type Job,
  type JobContext,
  type JobOutcome,
  type JobRunner,
  type JobTable,
  outcomeOf,
} from './job-runner.js';
import { JobQueue } from './job-queue.js';

/** Runs jobs in this process, one after another. A job that ends the process ends all jobs. */
export class InlineRunner implements JobRunner {
  readonly window = 1;
  readonly #table: JobTable;
  readonly #values = new Map<string, unknown>();
  readonly #queue = new JobQueue();
  readonly #stopped = new AbortController();
  #isBusy = false;
  #worked: Promise<void> = Promise.resolve();

  constructor(table: JobTable) {
    this.#table = table;
  }

  async share(key: string, value: unknown): Promise<void> {
    this.#values.set(key, value);
  }

  run(job: Job): Promise<JobOutcome> {
    const outcome = this.#queue.add(job);
    if (!this.#isBusy) this.#worked = this.#work();
    return outcome;
  }

  stop(): void {
    this.#stopped.abort();
    this.#queue.close();
  }

  async close(): Promise<void> {
    this.stop();
    await this.#worked;
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    for (let next = this.#queue.take(); next !== null; next = this.#queue.take())
      next.end(await outcomeOf(this.#table, next.job, this.#context));
    this.#isBusy = false;
  }

  readonly #context: JobContext = {
    shared: async (key) => {
      if (!this.#values.has(key)) throw new RangeError(`there is no shared value ${key}`);
      return this.#values.get(key);
    },
    begin: () => undefined,
    signal: this.#stopped.signal,
  };
}
