import type fc from 'fast-check';
import type { JobContext, JobTable } from '../../jobs/job-runner.js';
import type { Command } from '../commands/command.js';
import type { FuzzTarget } from '../world.js';
import type { CampaignValue } from './campaign-value.js';
import { type AfterSequence, type CampaignFind, RangePlayer, type RangeResult } from './range-player.js';
import { type RefineOptions, refined } from './refine.js';

export const RANGE = 'fuzz range';
export const SHRINK = 'fuzz shrink';

/** The argument of a job that plays a range of runs. */
export interface RangeJob {
  /** Key of the campaign. */
  readonly campaign: string;
  readonly first: number;
  readonly end: number;
  /** Ends after so many findings; null for no limit. */
  readonly maxFinds: number | null;
}

/** The argument of a job that shrinks a finding. */
export interface ShrinkJob {
  readonly campaign: string;
  readonly find: CampaignFind;
}

/** What a campaign is played with, which is no plain value. */
export interface CampaignTools extends Pick<RefineOptions, 'checkSuite' | 'software' | 'now' | 'pause'> {
  readonly target: FuzzTarget;
  readonly commands: fc.Arbitrary<readonly Command[]>;
}

/** A campaign whose ranges are played in this process. */
class PlayedCampaign {
  readonly #value: CampaignValue;
  readonly #tools: CampaignTools;
  readonly #player: RangePlayer;

  constructor(value: CampaignValue, tools: CampaignTools) {
    this.#value = value;
    this.#tools = tools;
    this.#player = new RangePlayer(tools.target, value, tools);
  }

  play({ first, end, maxFinds }: RangeJob, afterSequence: AfterSequence): Promise<RangeResult> {
    const order = { first, end, maxFinds: maxFinds ?? Number.POSITIVE_INFINITY };
    return this.#player.play(order, async (tally) => {
      await this.#tools.pause();
      return afterSequence(tally);
    });
  }

  shrink(find: CampaignFind, { signal }: JobContext) {
    const isStopped = () => signal.aborted;
    const world = find.world ?? this.#value.world;
    return refined(find, this.#tools.target, { ...this.#value, ...this.#tools, world, isStopped });
  }

  close(): Promise<void> {
    return this.#player.close();
  }
}

/** The jobs of fuzz campaigns. One campaign at a time keeps its world. */
export class CampaignJobs {
  readonly #toolsOf: (campaign: CampaignValue) => CampaignTools;
  readonly #afterSequence: AfterSequence;
  #current: { readonly key: string; readonly campaign: PlayedCampaign } | null = null;

  constructor(
    toolsOf: (campaign: CampaignValue) => CampaignTools,
    afterSequence: AfterSequence = () => true,
  ) {
    this.#toolsOf = toolsOf;
    this.#afterSequence = afterSequence;
  }

  get table(): JobTable {
    return {
      [RANGE]: async (data, context) => {
        const job = data as RangeJob;
        return (await this.#campaign(job.campaign, context)).play(job, this.#afterSequence);
      },
      [SHRINK]: async (data, context) => {
        const { campaign, find } = data as ShrinkJob;
        return (await this.#campaign(campaign, context)).shrink(find, context);
      },
    };
  }

  async close(): Promise<void> {
    await this.#current?.campaign.close();
    this.#current = null;
  }

  async #campaign(key: string, context: JobContext): Promise<PlayedCampaign> {
    if (this.#current?.key !== key) {
      await this.close();
      const value = (await context.shared(key)) as CampaignValue;
      this.#current = { key, campaign: new PlayedCampaign(value, this.#toolsOf(value)) };
    }
    return this.#current.campaign;
  }
}
