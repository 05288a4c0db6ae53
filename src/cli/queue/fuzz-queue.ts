import type { CampaignState } from '../../testing/fuzz/campaign/campaign-state.js';
import type { CampaignParts } from '../fuzz/options.js';
import type { ProgressReport } from '../progress.js';
import type { Ending, QueueCampaign } from './queue-campaign.js';

/** Interval between saves in real milliseconds. */
const SAVE_MS = 10_000;

/** A fuzz campaign on a queue. The queue keeps its results, so the same command can continue it on any machine. */
export class FuzzQueue {
  readonly #campaign: QueueCampaign;
  /** Start of the current part. */
  #part = { number: -1, begunMs: 0 };
  #saveAtMs = performance.now() + SAVE_MS;

  private constructor(
    campaign: QueueCampaign,
    /** Where the campaign that it continues ended. */
    readonly earlier: CampaignParts,
  ) {
    this.#campaign = campaign;
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
    if (begunMs < this.#saveAtMs || state.shrinking > 0) return;
    const seconds = (begunMs - this.#part.begunMs) / 1_000 + (this.earlier[number]?.seconds ?? 0);
    await this.#campaign.saveResults([...before, state.summary(seconds)]);
    this.#saveAtMs = performance.now() + SAVE_MS;
  }

  /** Saves the final or the current results. */
  async end(parts: CampaignParts, how: Ending, progress: ProgressReport): Promise<void> {
    await this.#campaign.saveResults(parts);
    await this.#campaign.end(how, progress);
  }
}
