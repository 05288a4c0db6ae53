import { createHash } from 'node:crypto';
import type { Job, JobOutcome, JobRunner } from '../../testing/jobs/job-runner.js';
import type { QueueConnection } from '../../testing/jobs/queue/connection.js';
import { QueueRunner } from '../../testing/jobs/queue/queue-runner.js';
import { ProgressMeter, type ProgressReport } from '../progress.js';
import { type QueuedCampaign, QueuedCampaigns, newCampaign } from './campaigns.js';
import { type QueueArguments, connectQueue } from './options.js';

/** Interval between checks for cancellation in real milliseconds. */
const LOOK_MS = 1_000;

/** How a command ends its part in a campaign. */
export type Ending = 'finished' | 'interrupted';

export interface QueueTask extends Pick<QueuedCampaign, 'kind' | 'unit' | 'total'> {
  readonly name: string;
  /** The options that determine the results of its jobs, as JSON. Another command with equal options continues the campaign. */
  readonly identity: unknown;
  /** Real milliseconds after which the command ends; null for no limit. */
  readonly budgetMs?: number | null;
}

/** A campaign on a queue that this command coordinates: its jobs, its record and its saved results. */
export class QueueCampaign implements JobRunner {
  readonly cancelled = new AbortController();
  readonly #connection: QueueConnection;
  readonly #campaigns: QueuedCampaigns;
  readonly #runner: QueueRunner;
  readonly #meter: ProgressMeter;
  readonly #timer: NodeJS.Timeout;
  #row: QueuedCampaign;

  private constructor(
    connection: QueueConnection,
    { runner, row, budgetMs }: { runner: QueueRunner; row: QueuedCampaign; budgetMs: number | null },
  ) {
    this.#connection = connection;
    this.#campaigns = new QueuedCampaigns(connection);
    this.#runner = runner;
    this.#row = row;
    this.#meter = new ProgressMeter(budgetMs, () => performance.now());
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
  }

  /** Starts or continues the campaign of this name. Throws UsageError if that campaign differs, and RemoteRefusal. */
  static async open(args: QueueArguments, task: QueueTask): Promise<QueueCampaign> {
    const { name, identity, budgetMs = null, ...what } = task;
    const digest = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 12);
    const connection = await connectQueue(args);
    try {
      const campaigns = new QueuedCampaigns(connection);
      const row = await campaigns.begin(newCampaign({ name, ...what, key: `${name}@${digest}` }));
      const runner = await QueueRunner.open(connection);
      if (runner.processes === 0)
        process.stderr.write('sim: the queue has no worker yet; start one with sim worker --queue …\n');
      return new QueueCampaign(connection, { runner, row, budgetMs });
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Prefix of the keys of its jobs and values. */
  get key(): string {
    return this.#row.key;
  }

  get window(): number {
    return this.#runner.window;
  }

  share(key: string, value: unknown): Promise<void> {
    return this.#runner.share(key, value);
  }

  /** A value shared by this or an earlier command; undefined if there is none. */
  shared(key: string): Promise<unknown> {
    return this.#connection.read(this.#connection.valueKey(key));
  }

  run(job: Job): Promise<JobOutcome> {
    return this.#runner.run(job);
  }

  stop(): void {
    this.#runner.stop();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#runner.close();
    this.#connection.close();
  }

  /** The results saved by this or an earlier command; undefined if there are none. */
  results(): Promise<unknown> {
    return this.#campaigns.results(this.#row.name);
  }

  saveResults(results: unknown): Promise<void> {
    return this.#campaigns.writeResults(this.#row.name, results);
  }

  /** Deletes the results of jobs whose results are saved elsewhere. */
  forget(jobs: readonly Job[]): Promise<void> {
    return this.#runner.forget(jobs);
  }

  async report(progress: ProgressReport, steps: number): Promise<void> {
    this.#row = { ...this.#row, ...this.#meter.measure(progress).figures, steps };
    if (!this.cancelled.signal.aborted) await this.#campaigns.write(this.#row);
  }

  /** Ends this command's part in the campaign. Deletes everything except results, unless the campaign will continue. */
  async end(how: Ending): Promise<void> {
    const status = this.cancelled.signal.aborted ? 'cancelled' : how;
    await this.#campaigns.write({ ...this.#row, status });
    if (status === 'interrupted') return;
    // Jobs that are no longer needed, because enough failures were found.
    await this.#runner.removeWaiting(this.key);
    await this.#campaigns.clear(this.#row);
  }

  async #look(): Promise<void> {
    try {
      const now = await this.#campaigns.find(this.#row.name);
      if (now?.status !== 'cancelled' || this.cancelled.signal.aborted) return;
      this.#runner.abandon();
      this.cancelled.abort();
    } catch (error) {
      this.#connection.trouble(error as Error);
    }
  }
}
