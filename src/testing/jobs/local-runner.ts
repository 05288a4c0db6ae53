import type { Job, JobOutcome, JobRunner } from './job-runner.js';

interface WaitingJob {
  readonly job: Job;
  readonly end: (outcome: JobOutcome) => void;
}

/** Runs jobs on this machine in the order in which they begin, some at once. */
export abstract class LocalRunner implements JobRunner {
  abstract readonly window: number;
  protected readonly values = new Map<string, unknown>();
  protected isStopped = false;
  readonly #most: number;
  readonly #urgent: WaitingJob[] = [];
  readonly #others: WaitingJob[] = [];
  #running = 0;

  /** `most` is how many jobs run at once. */
  protected constructor(most: number) {
    this.#most = most;
  }

  async share(key: string, value: unknown): Promise<void> {
    this.values.set(key, value);
  }

  run(job: Job): Promise<JobOutcome> {
    return new Promise((end) => {
      if (job.isUrgent === true) this.#urgent.push({ job, end });
      else if (this.isStopped) end({ kind: 'withdrawn' });
      else this.#others.push({ job, end });
      if (this.#running < this.#most) void this.work();
    });
  }

  /** Withdraws all jobs that are not urgent, including those added later. */
  stop(): void {
    this.isStopped = true;
    for (const { end } of this.#others.splice(0)) end({ kind: 'withdrawn' });
  }

  abstract close(): Promise<void>;

  protected abstract play(job: Job): Promise<JobOutcome>;

  protected async work(): Promise<void> {
    this.#running += 1;
    for (;;) {
      const next = this.#urgent.shift() ?? this.#others.shift();
      if (next === undefined) break;
      next.end(await this.play(next.job));
    }
    this.#running -= 1;
  }
}
