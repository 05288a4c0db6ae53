import { findsOf } from '../../testing/fuzz-library.js';
import type { RangeJob } from '../../testing/fuzz/campaign/campaign-jobs.js';
import type { CampaignState } from '../../testing/fuzz/campaign/campaign-state.js';
import { distinct } from '../../testing/fuzz/campaign/merge-summaries.js';
import type { Job } from '../../testing/jobs/job-runner.js';
import type { CampaignParts, FuzzPlan } from '../fuzz/options.js';
import { totalOf } from '../fuzz/fuzz-progress.js';
import type { QueueArguments } from './options.js';
import { type Ending, QueueCampaign } from './queue-campaign.js';

/** Interval between progress reports in real milliseconds. */
const REPORT_MS = 3_000;
/** Interval between saves in real milliseconds. After a save, the results of the merged jobs are deleted. */
const SAVE_MS = 10_000;
const MOST_JOBS = 2_000;

/** A fuzz campaign on a queue. The queue keeps its results, so the same command can continue it on any machine. */
export class FuzzQueue {
  readonly earlier: CampaignParts;
  readonly campaign: QueueCampaign;
  readonly #plan: FuzzPlan;
  /** Jobs that have ended and whose results the queue still has. */
  #ended: Job[] = [];
  /** Start of the current part. */
  #part = { number: -1, begunMs: 0 };
  #reportAtMs = performance.now() + REPORT_MS;
  #saveAtMs = performance.now() + SAVE_MS;

  private constructor(campaign: QueueCampaign, plan: FuzzPlan, earlier: CampaignParts) {
    this.campaign = campaign;
    campaign.onEnded = (job) => this.#ended.push(job);
    this.#plan = plan;
    this.earlier = earlier;
  }

  static async open(args: QueueArguments & { readonly name: string }, plan: FuzzPlan): Promise<FuzzQueue> {
    // The options that determine the results of ranges.
    const options = plan.campaigns.map(({ timeBudgetMs: _time, maxFinds: _finds, ...rest }) => rest);
    const campaign = await QueueCampaign.open(args, {
      name: args.name,
      kind: 'fuzz',
      unit: 'runs',
      total: totalOf(plan),
      identity: options,
      budgetMs: plan.timeBudgetMs,
    });
    const earlier = ((await campaign.results()) ?? []) as CampaignParts;
    return new FuzzQueue(campaign, plan, earlier);
  }

  keyOf(property: string): string {
    return `${this.campaign.key}/${property}`;
  }

  /** Reports progress and saves results at intervals: `before` are the results of the parts that have ended. */
  async onState(state: CampaignState, before: CampaignParts): Promise<void> {
    const begunMs = performance.now();
    const number = before.length;
    if (number !== this.#part.number) this.#part = { number, begunMs };
    if (begunMs >= this.#reportAtMs) {
      this.#reportAtMs = begunMs + REPORT_MS;
      await this.#report(before, state);
    }
    const isDue = begunMs >= this.#saveAtMs || this.#ended.length >= MOST_JOBS;
    if (isDue && state.shrinking === 0) await this.#saveState(state, before, begunMs);
  }

  /** Saves the final or the current results. */
  async end(parts: CampaignParts, how: Ending): Promise<void> {
    await this.campaign.saveResults(parts);
    await this.#report(parts);
    await this.campaign.end(how);
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
    await this.campaign.saveResults([...before, state.summary(seconds)]);
    await this.campaign.forget(merged);
    this.#saveAtMs = performance.now() + SAVE_MS;
  }

  /** Reports the progress of the ended parts and of the current part. */
  async #report(ended: CampaignParts, state?: CampaignState): Promise<void> {
    const parts = ended.filter((part) => part !== null);
    const { runs = 0, steps = 0 } = state?.progress({ runs: 0, steps: 0 }) ?? {};
    const coverage = state?.coverage;
    const keys = () => [
      ...parts.flatMap((part) => part.coverage.map(([key]) => key)),
      ...(coverage?.rows().map(([key]) => key) ?? []),
    ];
    const isAlone = parts.length === 0 && coverage !== undefined;
    await this.campaign.report(
      {
        title: null,
        unit: 'runs',
        done: parts.reduce((sum, part) => sum + part.runs, runs),
        total: totalOf(this.#plan),
        found: distinct([...parts.flatMap(findsOf), ...(state?.finds.files ?? [])]).length,
        coverage: { unit: 'pairs', count: isAlone ? coverage.size : new Set(keys()).size },
      },
      parts.reduce((sum, part) => sum + part.steps, steps),
    );
  }
}
