import { type Job, type JobContext, type JobOutcome, type JobTable, outcomeOf } from './job-runner.js';
import { LocalRunner } from './local-runner.js';

/** Runs jobs in this process, one after another. A job that ends the process ends all jobs. */
export class InlineRunner extends LocalRunner {
  readonly window = 1;
  readonly #table: JobTable;
  readonly #stopped = new AbortController();
  #worked: Promise<void> = Promise.resolve();

  constructor(table: JobTable) {
    super(1);
    this.#table = table;
  }

  override stop(): void {
    this.#stopped.abort();
    super.stop();
  }

  async close(): Promise<void> {
    this.stop();
    await this.#worked;
  }

  protected override async work(): Promise<void> {
    this.#worked = super.work();
    await this.#worked;
  }

  protected play(job: Job): Promise<JobOutcome> {
    return outcomeOf(this.#table, job, this.#context);
  }

  readonly #context: JobContext = {
    shared: async (key) => {
      if (!this.values.has(key)) throw new RangeError(`there is no shared value ${key}`);
      return this.values.get(key);
    },
    begin: () => undefined,
    signal: this.#stopped.signal,
  };
}
