import type { FuzzTarget } from '../world.js';
import type { JobContext, JobTable } from '../../jobs/job-runner.js';
import { type CampaignValue, Chunks } from './campaign-value.js';
import { type AfterSequence, type CampaignFind, ChunkPlayer, type ChunkResult } from './chunk-player.js';
import { CorpusGenerations } from './corpus-generations.js';
import type { SentEntry } from './corpus.js';
import type { Part } from './parts.js';
import { type RefineOptions, refined } from './refine.js';

export const CHUNK = 'fuzz chunk';
export const SHRINK = 'fuzz shrink';

/** The argument of a job that plays a chunk. */
export interface ChunkJob {
  /** Key of the campaign, and beginning of the keys of its corpus. */
  readonly campaign: string;
  readonly chunk: number;
  /** The run to begin with, which may be within the chunk. */
  readonly first: number;
  /** Ends after so many findings; null for no limit. */
  readonly maxFinds: number | null;
}

/** The argument of a job that shrinks a finding. */
export interface ShrinkJob {
  readonly campaign: string;
  readonly find: CampaignFind;
}

/** The key of the sequences that a campaign begins with (0), or that a generation has found, which count from 1. */
export function corpusKey(campaign: string, generation: number): string {
  return `${campaign}/corpus/${generation}`;
}

/** What a campaign is played with, which is no plain value. */
export interface CampaignTools extends Pick<RefineOptions, 'checkSuite' | 'software' | 'now' | 'pause'> {
  readonly target: FuzzTarget;
  readonly parts: readonly Part[];
}

/** A campaign whose chunks are played in this process. */
class PlayedCampaign {
  readonly #key: string;
  readonly #value: CampaignValue;
  readonly #tools: CampaignTools;
  readonly #chunks: Chunks;
  readonly #player: ChunkPlayer;
  readonly #corpus: CorpusGenerations;

  constructor(key: string, value: CampaignValue, tools: CampaignTools) {
    this.#key = key;
    this.#value = value;
    this.#tools = tools;
    this.#chunks = new Chunks(value);
    this.#player = new ChunkPlayer(tools.target, value, tools.checkSuite);
    this.#corpus = new CorpusGenerations(tools.parts);
  }

  async play(job: ChunkJob, context: JobContext, afterSequence: AfterSequence): Promise<ChunkResult> {
    const generations = this.#chunks.corpusOf(job.chunk);
    while (this.#corpus.count < generations) {
      const key = corpusKey(this.#key, this.#corpus.count + 1);
      this.#corpus.add((await context.shared(key)) as readonly SentEntry[]);
    }
    const corpus = this.#corpus.at(generations);
    const maxFinds = job.maxFinds ?? Number.POSITIVE_INFINITY;
    const chunk = { ...this.#chunks.at(job.chunk), first: job.first };
    return this.#player.play({ ...chunk, corpus, maxFinds }, async (tally) => {
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
      [CHUNK]: async (data, context) => {
        const job = data as ChunkJob;
        return (await this.#campaign(job.campaign, context)).play(job, context, this.#afterSequence);
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
      this.#current = { key, campaign: new PlayedCampaign(key, value, this.#toolsOf(value)) };
    }
    return this.#current.campaign;
  }
}
