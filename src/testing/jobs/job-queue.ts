import type { Job, JobOutcome } from './job-runner.js';

/** A waiting job, and the callback for its outcome. */
export interface WaitingJob {
  readonly job: Job;
  readonly end: (outcome: JobOutcome) => void;
}

/** Waiting jobs of this process, in the order in which they begin. */
export class JobQueue {
  readonly #urgent: WaitingJob[] = [];
  readonly #others: WaitingJob[] = [];
  #isClosed = false;

  add(job: Job): Promise<JobOutcome> {
    return new Promise((end) => {
      if (job.isUrgent === true) this.#urgent.push({ job, end });
      else if (this.#isClosed) end({ kind: 'withdrawn' });
      else this.#others.push({ job, end });
    });
  }

  take(): WaitingJob | null {
    return this.#urgent.shift() ?? this.#others.shift() ?? null;
  }

  /** Withdraws all jobs that are not urgent, including those added later. */
  close(): void {
    this.#isClosed = true;
    for (const { end } of this.#others.splice(0)) end({ kind: 'withdrawn' });
  }
}
