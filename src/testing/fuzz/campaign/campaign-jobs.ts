import { setImmediate } from 'node:timers/promises';
import type { JobContext, JobTable } from '../../jobs/job-runner.js';
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

/** Parts of campaigns that are not plain values. */
export interface CampaignTools extends Pick<RefineOptions, 'checkSuite' | 'software'> {
  readonly target: FuzzTarget;
}

interface Played {
  readonly key: string;
  readonly value: CampaignValue;
  readonly player: RangePlayer;
}

/** The jobs of fuzz campaigns. Only the latest campaign keeps its world. */
export class CampaignJobs {
  readonly #tools: CampaignTools;
  readonly #afterSequence: AfterSequence;
  #current: Played | null = null;

  constructor(tools: CampaignTools, afterSequence: AfterSequence = () => true) {
    this.#tools = tools;
    this.#afterSequence = afterSequence;
  }

  get table(): JobTable {
    return {
      [RANGE]: async (data, context) => {
        const { campaign, first, end, maxFinds } = data as RangeJob;
        const { player } = await this.#campaign(campaign, context);
        const order = { first, end, maxFinds: maxFinds ?? Number.POSITIVE_INFINITY };
        return player.play(order, async (tally) => {
          // Lets the process handle signals and messages.
          await setImmediate();
          return this.#afterSequence(tally);
        });
      },
      [SHRINK]: async (data, context) => {
        const { campaign, find } = data as ShrinkJob;
        const { value } = await this.#campaign(campaign, context);
        const isStopped = () => context.signal.aborted;
        const world = find.world ?? value.world;
        return refined(find, this.#tools.target, { ...value, ...this.#tools, world, isStopped });
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
    const { target, checkSuite } = this.#tools;
    this.#current = { key, value, player: new RangePlayer(target, value, checkSuite) };
    return this.#current;
  }
}
