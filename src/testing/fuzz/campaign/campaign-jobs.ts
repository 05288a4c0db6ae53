import type fc from 'fast-check';
import type { JobContext, JobTable } from '../../jobs/job-runner.js';
import type { Command } from '../commands/command.js';
import type { FuzzTarget } from '../world.js';
import type { CampaignValue } from './campaign-value.js';
import { type AfterSequence, type CampaignFind, RangePlayer } from './range-player.js';
import { type RefineOptions, refined } from './refine.js';

export const RANGE = 'fuzz range';
export const SHRINK = 'fuzz shrink';

export interface RangeJob {
  readonly campaign: string;
  readonly first: number;
  readonly end: number;
  /** Ends after this number of findings; null for no limit. */
  readonly maxFinds: number | null;
}

export interface ShrinkJob {
  readonly campaign: string;
  readonly find: CampaignFind;
}

/** Parts of a campaign that are not plain values. */
export interface CampaignTools extends Pick<RefineOptions, 'checkSuite' | 'software' | 'now' | 'pause'> {
  readonly target: FuzzTarget;
  readonly commands: fc.Arbitrary<readonly Command[]>;
}

interface Played {
  readonly key: string;
  readonly value: CampaignValue;
  readonly tools: CampaignTools;
  readonly player: RangePlayer;
}

/** The jobs of fuzz campaigns. Only the latest campaign keeps its world. */
export class CampaignJobs {
  readonly #toolsOf: (campaign: CampaignValue) => CampaignTools;
  readonly #afterSequence: AfterSequence;
  #current: Played | null = null;

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
        const { campaign, first, end, maxFinds } = data as RangeJob;
        const { player, tools } = await this.#campaign(campaign, context);
        const order = { first, end, maxFinds: maxFinds ?? Number.POSITIVE_INFINITY };
        return player.play(order, async (tally) => {
          await tools.pause();
          return this.#afterSequence(tally);
        });
      },
      [SHRINK]: async (data, context) => {
        const { campaign, find } = data as ShrinkJob;
        const { value, tools } = await this.#campaign(campaign, context);
        const isStopped = () => context.signal.aborted;
        const world = find.world ?? value.world;
        return refined(find, tools.target, { ...value, ...tools, world, isStopped });
      },
    };
  }

  async close(): Promise<void> {
    await this.#current?.player.close();
    this.#current = null;
  }

  async #campaign(key: string, context: JobContext): Promise<Played> {
    if (this.#current?.key === key) return this.#current;
    await this.close();
    const value = (await context.shared(key)) as CampaignValue;
    const tools = this.#toolsOf(value);
    this.#current = { key, value, tools, player: new RangePlayer(tools.target, value, tools) };
    return this.#current;
  }
}
