import { createHash } from 'node:crypto';
import { QueueRunner } from '../../testing/jobs/queue/queue-runner.js';
import { ProgressMeter, type ProgressReport } from '../progress.js';
import { type QueuedCampaign, QueuedCampaigns } from './campaigns.js';
import { type QueueArguments, checkKeyPart, connectQueue, programVersion } from './options.js';

/** Interval between renewals of the lease with checks for cancellation, and between reports of progress, in real milliseconds. */
const LOOK_MS = 1_000;
/** Interval between saves in real milliseconds. */
const SAVE_MS = 10_000;

/** How a command ends its part in a campaign. */
export type Ending = 'finished' | 'interrupted';

export interface QueueTask extends Pick<QueuedCampaign, 'kind' | 'unit' | 'total'> {
  /** The options that determine the results of its jobs, as JSON. Another command with equal options and version continues the campaign. */
  readonly identity: unknown;
  /** Real milliseconds after which the command ends; null for no limit. */
  readonly budgetMs?: number | null;
}

/** A campaign on a queue that this command coordinates: its jobs, its record and its saved results. */
export class QueueCampaign extends QueueRunner {
  readonly cancelled = new AbortController();
  readonly #campaigns: QueuedCampaigns;
  readonly #meter: ProgressMeter;
  readonly #timer: NodeJS.Timeout;
  #row: QueuedCampaign;
  #isHeld = true;
  #reportedMs = 0;
  #savedMs = performance.now();

  private constructor(campaigns: QueuedCampaigns, row: QueuedCampaign, budgetMs: number | null) {
    super(campaigns.connection);
    this.#campaigns = campaigns;
    this.#row = row;
    this.#meter = new ProgressMeter(budgetMs, () => performance.now());
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
  }

  /** Starts or continues the campaign of this name. Throws UsageError if that campaign differs, and QueueUnavailable. */
  static async open(
    args: QueueArguments & { readonly name: string },
    { identity, budgetMs = null, ...what }: QueueTask,
  ): Promise<QueueCampaign> {
    const { name } = args;
    checkKeyPart('--name', name);
    const given = JSON.stringify([programVersion(), identity]);
    const digest = createHash('sha256').update(given).digest('hex').slice(0, 12);
    const connection = await connectQueue(args);
    try {
      const campaigns = new QueuedCampaigns(connection);
      const row = await campaigns.begin({ name, ...what, key: `${name}@${digest}` });
      const campaign = new QueueCampaign(campaigns, row, budgetMs);
      await campaign.ready();
      if (campaign.processes === 0)
        process.stderr.write('sim: the queue has no worker yet; start one with sim worker --queue …\n');
      return campaign;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Prefix of the keys of its jobs and values. */
  get key(): string {
    return this.#row.key;
  }

  override async close(): Promise<void> {
    clearInterval(this.#timer);
    await super.close();
    this.#campaigns.connection.close();
  }

  /** The results saved by this or an earlier command; undefined if there are none. */
  results(): Promise<unknown> {
    return this.#campaigns.results(this.#row.name);
  }

  saveResults(results: unknown): Promise<void> {
    return this.#campaigns.writeResults(this.#row.name, results);
  }

  /** Saves the current results, if that is due, so that the same command can continue the campaign on any machine. */
  async saveAtTimes(results: () => unknown): Promise<void> {
    if (performance.now() - this.#savedMs < SAVE_MS) return;
    await this.saveResults(results());
    this.#savedMs = performance.now();
  }

  /** Reports progress, if a report is due. */
  async report(progress: () => ProgressReport): Promise<void> {
    if (performance.now() - this.#reportedMs < LOOK_MS) return;
    // The row would overwrite a cancellation that was not seen yet.
    await this.#look();
    if (this.cancelled.signal.aborted || !this.#isHeld) return;
    this.#measure(progress());
    await this.#campaigns.write(this.#row);
  }

  /** Ends this command's part in the campaign. Deletes everything except results, unless the campaign will continue. */
  async end(how: Ending, progress: ProgressReport): Promise<void> {
    this.#measure(progress);
    clearInterval(this.#timer);
    const { name } = this.#row;
    // Another command continues the campaign, since this one was silent.
    if (!(await this.#campaigns.hold(name))) return;
    const status = this.cancelled.signal.aborted ? 'cancelled' : how;
    await this.#campaigns.write({ ...this.#row, status });
    if (status !== 'interrupted') {
      // Jobs that are no longer needed, because enough failures were found.
      await this.removeWaiting(this.key);
      await this.#campaigns.clear(this.#row);
    }
    await this.#campaigns.release(name);
  }

  #measure(progress: ProgressReport): void {
    this.#reportedMs = performance.now();
    const { figures } = this.#meter.measure(progress);
    this.#row = { ...this.#row, ...figures, steps: progress.work?.done ?? 0 };
  }

  async #look(): Promise<void> {
    try {
      const { name } = this.#row;
      this.#isHeld = await this.#campaigns.hold(name);
      const now = await this.#campaigns.find(name);
      if (now?.status !== 'cancelled' || this.cancelled.signal.aborted) return;
      this.abandon();
      this.cancelled.abort();
    } catch (error) {
      this.#campaigns.connection.trouble(error as Error);
    }
  }
}
