import { createHash } from 'node:crypto';
import type { Job, JobOutcome, JobRunner } from '../../testing/jobs/job-runner.js';
import type { QueueConnection } from '../../testing/jobs/queue/connection.js';
import { QueueRunner } from '../../testing/jobs/queue/queue-runner.js';
import { ProgressMeter, type ProgressReport } from '../progress.js';
import { type QueuedCampaign, QueuedCampaigns, newCampaign } from './campaigns.js';
import { type QueueArguments, connectQueue } from './options.js';

/** How often it is looked whether the campaign was cancelled. */
const LOOK_MS = 1_000;

/** How a command leaves its campaign. */
export type Ending = 'finished' | 'interrupted';

/** What a command plays by a queue. */
export interface QueueTask extends Pick<QueuedCampaign, 'kind' | 'unit' | 'total'> {
  readonly name: string;
  /** What decides about the results of its jobs, as JSON: another command with the same goes on with them. */
  readonly identity: unknown;
  /** Real time after which the command ends; null for no limit. */
  readonly budgetMs?: number | null;
}

/** A campaign on a queue that this command coordinates: its jobs, its row among the campaigns, its results as far as they are saved. */
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

  /** Begins a campaign, or goes on with the one of its name. Throws UsageError when that is another one, and RemoteRefusal. */
  static async open(args: QueueArguments, task: QueueTask): Promise<QueueCampaign> {
    const { name, identity, budgetMs = null, ...what } = task;
    const digest = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 12);
    const connection = await connectQueue(args);
    try {
      const campaigns = new QueuedCampaigns(connection);
      const row = await campaigns.begin(newCampaign({ name, ...what, key: `${name}@${digest}` }));
      const runner = await QueueRunner.open(connection);
      if (runner.processes === 0)
        process.stderr.write('sim: no worker is there yet: start one with sim worker --queue …\n');
      return new QueueCampaign(connection, { runner, row, budgetMs });
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Beginning of the keys of its jobs and values. */
  get key(): string {
    return this.#row.key;
  }

  get window(): number {
    return this.#runner.window;
  }

  share(key: string, value: unknown): Promise<void> {
    return this.#runner.share(key, value);
  }

  /** A value that was shared, by this command or an earlier one; undefined for none. */
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

  /** The results that were saved, by this command or an earlier one; undefined for none. */
  results(): Promise<unknown> {
    return this.#campaigns.results(this.#row.name);
  }

  saveResults(results: unknown): Promise<void> {
    return this.#campaigns.writeResults(this.#row.name, results);
  }

  /** Deletes the results of jobs that are saved otherwise. */
  forget(jobs: readonly Job[]): Promise<void> {
    return this.#runner.forget(jobs);
  }

  /** Says how far the campaign is. */
  async report(progress: ProgressReport, steps: number): Promise<void> {
    this.#row = { ...this.#row, ...this.#meter.measure(progress).figures, steps };
    if (!this.cancelled.signal.aborted) await this.#campaigns.write(this.#row);
  }

  /** Leaves the campaign, and deletes all but its results unless it goes on later. */
  async end(how: Ending): Promise<void> {
    const status = this.cancelled.signal.aborted ? 'cancelled' : how;
    await this.#campaigns.write({ ...this.#row, status });
    if (status === 'interrupted') return;
    // Jobs that are not needed any more, since enough was found.
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
