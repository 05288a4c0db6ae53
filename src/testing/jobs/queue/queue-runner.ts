import type { Job, JobOutcome, JobRunner } from '../job-runner.js';
import type { QueueConnection } from './connection.js';

/** How often workers are counted, and lost events are made up for. */
const LOOK_MS = 2_000;
/** Jobs for each of the workers' processes, so that none waits for the coordinator. */
const JOBS_PER_PROCESS = 3;
const SMALLEST_WINDOW = 12;
/** How long a job may be pending before it is looked for, and how many are at once. */
const MISSED = { afterMs: 20_000, atOnce: 20 };
/** Events that the server keeps: fewer than BullMQ does by default, since results are looked for as well. */
const EVENTS = 2_000;
/** Attempts of a job that a worker could not even begin, or whose result it could not write. */
const INFRASTRUCTURE_ATTEMPTS = 10;
const RETRY_MS = 1_000;

export function workerName(host: string, pid: number, concurrency: number): string {
  return `${host.replaceAll(/[^\w.-]/g, '-')}/${pid}/${concurrency}`;
}

/** BullMQ takes no colons, and no numbers. */
function idOf({ id }: Job): string {
  return id.replaceAll(':', '.');
}

interface Pending {
  readonly job: Job;
  sinceMs: number;
  readonly end: (outcome: JobOutcome) => void;
  readonly fail: (error: Error) => void;
}

/** Runs jobs by the workers of a queue, wherever they are. What they have done is found again by a later runner with the same jobs. */
export class QueueRunner implements JobRunner {
  readonly #connection: QueueConnection;
  readonly #queue;
  readonly #events;
  readonly #pending = new Map<string, Pending>();
  readonly #timer: NodeJS.Timeout;
  #processes = 0;
  #isStopped = false;
  #isAbandoned = false;
  #isLooking = false;

  private constructor(connection: QueueConnection) {
    const { bullmq, queue, options } = connection;
    this.#connection = connection;
    this.#queue = new bullmq.Queue(queue, { ...options, streams: { events: { maxLen: EVENTS } } });
    this.#events = new bullmq.QueueEvents(queue, options);
    this.#queue.on('error', (error) => connection.trouble(error));
    this.#events.on('error', (error) => connection.trouble(error));
    this.#events.on('completed', ({ jobId }) => void this.#settle([jobId]));
    this.#events.on('failed', ({ jobId, failedReason = '' }) => this.#failed(jobId, failedReason));
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
  }

  static async open(connection: QueueConnection): Promise<QueueRunner> {
    const runner = new QueueRunner(connection);
    await runner.#events.waitUntilReady();
    await runner.#look();
    return runner;
  }

  get window(): number {
    return Math.max(SMALLEST_WINDOW, JOBS_PER_PROCESS * this.#processes);
  }

  /** Number of processes of all workers, when it was last counted. */
  get processes(): number {
    return this.#processes;
  }

  async share(key: string, value: unknown): Promise<void> {
    await this.#connection.write(this.#connection.valueKey(key), value);
  }

  async run(job: Job): Promise<JobOutcome> {
    const id = idOf(job);
    const [known] = await this.#connection.readResults([id]);
    if (known !== undefined) return known;
    if (this.#isAbandoned || (this.#isStopped && job.isUrgent !== true)) return { kind: 'withdrawn' };
    const outcome = new Promise<JobOutcome>((end, fail) => {
      this.#pending.set(id, { job, sinceMs: performance.now(), end, fail });
    });
    // Awaited below, unless adding it fails first.
    outcome.catch(() => undefined);
    await this.#add(id, job);
    // It was stopped meanwhile.
    if (this.#isStopped) await this.#withdraw();
    return outcome;
  }

  stop(): void {
    this.#isStopped = true;
    void this.#withdraw();
  }

  /** Ends without the jobs under way, also those that a worker has begun: it may be silent, and nobody wants what they give. */
  abandon(): void {
    this.#isStopped = true;
    this.#isAbandoned = true;
    for (const id of this.#pending.keys()) this.#end(id, { kind: 'withdrawn' });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#events.close();
    await this.#queue.close();
  }

  /** Removes the jobs that no worker has begun and whose ids begin so. */
  async removeWaiting(beginning: string): Promise<void> {
    for (const { id = '' } of await this.#queue.getJobs(['waiting']))
      if (id.startsWith(beginning.replaceAll(':', '.'))) await this.#queue.remove(id);
  }

  /** Deletes the results of jobs that are no longer needed. */
  async forget(jobs: readonly Job[]): Promise<void> {
    if (jobs.length > 0)
      await this.#connection.redis.unlink(...jobs.map((job) => this.#connection.resultKey(idOf(job))));
  }

  async #add(id: string, job: Job): Promise<void> {
    const { name, data, attempts, timeoutMs, isUrgent = false } = job;
    await this.#queue.add(
      name,
      { name, data, attempts, timeoutMs },
      {
        jobId: id,
        lifo: isUrgent,
        attempts: INFRASTRUCTURE_ATTEMPTS,
        backoff: { type: 'fixed', delay: RETRY_MS },
        // Results have keys of their own, which events do not repeat.
        removeOnComplete: true,
        removeOnFail: true,
        stackTraceLimit: 1,
      },
    );
  }

  /** Takes the results that are there. */
  async #settle(ids: readonly string[]): Promise<void> {
    const wanted = ids.filter((id) => this.#pending.has(id));
    const outcomes = await this.#connection.readResults(wanted).catch((error: Error) => {
      this.#connection.trouble(error);
      return [];
    });
    for (const [at, outcome] of outcomes.entries())
      if (outcome !== undefined) this.#end(wanted[at] ?? '', outcome);
  }

  #end(id: string, outcome: JobOutcome): void {
    this.#pending.get(id)?.end(outcome);
    this.#pending.delete(id);
  }

  #failed(id: string, reason: string): void {
    const pending = this.#pending.get(id);
    if (/stalled more than allowable limit/.test(reason))
      this.#end(id, { kind: 'crashed', reason: 'its worker ended, or was silent for too long' });
    else pending?.fail(new Error(reason));
    this.#pending.delete(id);
  }

  /** Counts the workers, and looks for results whose events were lost, and for jobs that were. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const workers = await this.#queue.getWorkers();
      const counts = workers.map(({ rawname = '', name = '' }) =>
        Number(/\/\d+\/(\d+)$/.exec(rawname === '' ? name : rawname)?.[1] ?? 1),
      );
      this.#processes = counts.reduce((sum, count) => sum + count, 0);
      await this.#settle([...this.#pending.keys()]);
      const nowMs = performance.now();
      const old = [...this.#pending].filter(([, { sinceMs }]) => nowMs - sinceMs > MISSED.afterMs);
      for (const [id, pending] of old.slice(0, MISSED.atOnce)) await this.#lookFor(id, pending);
    } catch (error) {
      this.#connection.trouble(error as Error);
    } finally {
      this.#isLooking = false;
    }
  }

  /** Adds a job again that the server has lost. */
  async #lookFor(id: string, pending: Pending): Promise<void> {
    pending.sinceMs = performance.now();
    if ((await this.#queue.getJob(id)) !== undefined) return;
    await this.#settle([id]);
    if (this.#pending.has(id)) await this.#add(id, pending.job);
  }

  /** Takes back jobs from the last to the first that a worker has begun, so that those before it are complete. */
  async #withdraw(): Promise<void> {
    for (const [id, { job }] of [...this.#pending].toReversed()) {
      if (job.isUrgent === true) continue;
      const queued = await this.#queue.getJob(id);
      // It is done, or was removed by another command.
      if (queued === undefined) await this.#settle([id]);
      else if ((await queued.getState()) !== 'waiting' || (await this.#queue.remove(id)) !== 1) break;
      this.#end(id, { kind: 'withdrawn' });
    }
  }
}
