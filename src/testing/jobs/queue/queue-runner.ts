import type { Job, JobOutcome, JobRunner } from '../job-runner.js';
import type { QueueConnection } from './connection.js';

/** How often to count workers and to look for results whose events were lost; jobs themselves are looked for less often. */
const LOOK_MS = 2_000;
const LOOKS_PER_SEARCH = 10;
/** Jobs for each process of the workers, so that workers do not wait for the coordinator. */
const JOBS_PER_PROCESS = 3;
const SMALLEST_WINDOW = 12;
/** Events that the server keeps: fewer than BullMQ's default, since results are looked up as well. */
const EVENTS = 2_000;
/** Attempts of a job that a worker could not begin, or whose result it could not store. */
const INFRASTRUCTURE_ATTEMPTS = 10;
const RETRY_MS = 1_000;

export function workerName(host: string, pid: number, concurrency: number): string {
  return `${host.replaceAll(/[^\w.-]/g, '-')}/${pid}/${concurrency}`;
}

/** BullMQ accepts neither colons nor numbers as ids. */
function idOf({ id }: Job): string {
  return id.replaceAll(':', '.');
}

interface Pending {
  readonly job: Job;
  readonly end: (outcome: JobOutcome) => void;
  readonly fail: (error: Error) => void;
}

/** Runs jobs by the workers of a queue. A later runner with equal jobs reuses their results. */
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
  #looks = 0;

  protected constructor(connection: QueueConnection) {
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

  /** A runner that can be given jobs. */
  static async start(connection: QueueConnection): Promise<QueueRunner> {
    const runner = new QueueRunner(connection);
    await runner.ready();
    return runner;
  }

  /** Resolves when the runner hears of ended jobs and has counted the workers. Must resolve before jobs are run. */
  protected async ready(): Promise<void> {
    await this.#events.waitUntilReady();
    await this.#look();
  }

  get window(): number {
    return Math.max(SMALLEST_WINDOW, JOBS_PER_PROCESS * this.#processes);
  }

  /** Number of processes of all workers, when it was last counted. */
  get processes(): number {
    return this.#processes;
  }

  async share(key: string, value: unknown): Promise<void> {
    await this.#connection.write(this.#connection.keyOf('value', key), value);
  }

  async run(job: Job): Promise<JobOutcome> {
    const id = idOf(job);
    const [known] = await this.#connection.readResults([id]);
    if (known !== undefined) return known;
    if (this.#isAbandoned || (this.#isStopped && job.isUrgent !== true)) return { kind: 'withdrawn' };
    const outcome = new Promise<JobOutcome>((end, fail) => {
      this.#pending.set(id, { job, end, fail });
    });
    // Awaited below, unless adding the job fails first.
    outcome.catch(() => undefined);
    await this.#add(id, job);
    // The runner was stopped meanwhile.
    if (this.#isStopped) await this.#withdraw();
    return outcome;
  }

  stop(): void {
    this.#isStopped = true;
    void this.#withdraw();
  }

  /**
   * Ends without waiting for jobs in progress, even those a worker has begun: the worker may be silent, and their results are not needed.
   */
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

  /** Removes the jobs whose ids have this prefix and that no worker has begun. */
  async removeWaiting(beginning: string): Promise<void> {
    for (const { id = '' } of await this.#queue.getJobs(['waiting']))
      if (id.startsWith(beginning)) await this.#queue.remove(id);
  }

  async #add(id: string, job: Job): Promise<void> {
    const { isUrgent = false, id: _id, ...plain } = job;
    await this.#queue.add(job.name, plain, {
      jobId: id,
      lifo: isUrgent,
      attempts: INFRASTRUCTURE_ATTEMPTS,
      backoff: { type: 'fixed', delay: RETRY_MS },
      // Results have their own keys; events do not repeat them.
      removeOnComplete: true,
      removeOnFail: true,
      stackTraceLimit: 1,
    });
  }

  /** Reads the available results. */
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
    if (/stalled more than allowable limit/.test(reason))
      return this.#end(id, { kind: 'crashed', reason: 'its worker ended or stopped responding' });
    this.#pending.get(id)?.fail(new Error(reason));
    this.#pending.delete(id);
  }

  /** Counts the workers, and looks for results whose events were lost, and for lost jobs. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const workers = await this.#queue.getWorkers();
      const counts = workers.map(({ rawname = '' }) => Number(/\/\d+\/(\d+)$/.exec(rawname)?.[1] ?? 1));
      this.#processes = counts.reduce((sum, count) => sum + count, 0);
      await this.#settle([...this.#pending.keys()]);
      this.#looks += 1;
      if (this.#looks % LOOKS_PER_SEARCH === 0)
        for (const [id, { job }] of this.#pending) await this.#lookFor(id, job);
    } catch (error) {
      this.#connection.trouble(error as Error);
    } finally {
      this.#isLooking = false;
    }
  }

  /** Adds a job again that the server has lost. */
  async #lookFor(id: string, job: Job): Promise<void> {
    if ((await this.#queue.getJob(id)) !== undefined) return;
    await this.#settle([id]);
    if (this.#pending.has(id)) await this.#add(id, job);
  }

  /** Withdraws jobs from the last one back to the first that a worker has begun, so that earlier results are complete. */
  async #withdraw(): Promise<void> {
    for (const [id, { job }] of [...this.#pending].toReversed()) {
      if (job.isUrgent === true) continue;
      const queued = await this.#queue.getJob(id);
      // The job is done, or was removed by another command.
      if (queued === undefined) await this.#settle([id]);
      else if ((await queued.getState()) !== 'waiting' || (await this.#queue.remove(id)) !== 1) break;
      this.#end(id, { kind: 'withdrawn' });
    }
  }
}
