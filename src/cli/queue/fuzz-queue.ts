import type { RangeJob } from '../../testing/fuzz/campaign/campaign-jobs.js';
import type { CampaignState } from '../../testing/fuzz/campaign/campaign-state.js';
import type { Job } from '../../testing/jobs/job-runner.js';
import type { CampaignParts } from '../fuzz/options.js';
import type { ProgressReport } from '../progress.js';
import type { Ending, QueueCampaign } from './queue-campaign.js';

/** Interval between saves in real milliseconds. After a save, the results of the merged jobs are deleted. */
const SAVE_MS = 10_000;
const MOST_JOBS = 2_000;

/** A fuzz campaign on a queue. The queue keeps its results, so the same command can continue it on any machine. */
export class FuzzQueue {
  readonly #campaign: QueueCampaign;
  /** Jobs that have ended and whose results the queue still has. */
  #ended: Job[] = [];
  /** Start of the current part. */
  #part = { number: -1, begunMs: 0 };
  #saveAtMs = performance.now() + SAVE_MS;

  private constructor(
    campaign: QueueCampaign,
    /** Where the campaign that it continues ended. */
    readonly earlier: CampaignParts,
  ) {
    this.#campaign = campaign;
    campaign.onEnded = (job) => this.#ended.push(job);
  }

  static async open(campaign: QueueCampaign): Promise<FuzzQueue> {
    return new FuzzQueue(campaign, ((await campaign.results()) ?? []) as CampaignParts);
  }

  keyOf(property: string): string {
    return `${this.#campaign.key}/${property}`;
  }

  /** Reports progress and saves results at intervals: `before` are the results of the parts that have ended. */
  async onState(state: CampaignState, before: CampaignParts, progress: () => ProgressReport): Promise<void> {
    const begunMs = performance.now();
    const number = before.length;
    if (number !== this.#part.number) this.#part = { number, begunMs };
    await this.#campaign.report(progress);
    const isDue = begunMs >= this.#saveAtMs || this.#ended.length >= MOST_JOBS;
    if (isDue && state.shrinking === 0) await this.#saveState(state, before, begunMs);
  }

  /** Saves the final or the current results. */
  async end(parts: CampaignParts, how: Ending, progress: ProgressReport): Promise<void> {
    await this.#campaign.saveResults(parts);
    await this.#campaign.end(how, progress);
  }

  async #saveState(state: CampaignState, before: CampaignParts, nowMs: number): Promise<void> {
    const key = this.keyOf(state.property);
    const [merged, others] = [[] as Job[], [] as Job[]];
    for (const job of this.#ended) {
      const { campaign, first = -1 } = job.data as Partial<RangeJob>;
      // The next command requests ranges again that are done but not merged.
      (campaign !== key || first < state.next ? merged : others).push(job);
    }
    this.#ended = others;
    const { number, begunMs } = this.#part;
    const seconds = (nowMs - begunMs) / 1_000 + (this.earlier[number]?.seconds ?? 0);
    await this.#campaign.saveResults([...before, state.summary(seconds)]);
    await this.#campaign.forget(merged);
    this.#saveAtMs = performance.now() + SAVE_MS;
  }
}
