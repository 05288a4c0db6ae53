import { createHash } from 'node:crypto';
import type { CampaignInput, CorpusEntry, Summary } from '../../testing/fuzz-library.js';
import { findsOf } from '../../testing/fuzz-library.js';
import type { ChunkJob } from '../../testing/fuzz/campaign/campaign-jobs.js';
import type { CampaignState } from '../../testing/fuzz/campaign/campaign-state.js';
import type { Job, JobOutcome, JobRunner } from '../../testing/jobs/job-runner.js';
import { QueueRunner } from '../../testing/jobs/queue/queue-runner.js';
import type { CampaignParts } from '../fuzz/campaign-file.js';
import { merged as mergedSummaries } from '../../testing/fuzz/campaign/merge-summaries.js';
import { type QueuedCampaign, QueuedCampaigns } from './campaigns.js';
import { type QueueArguments, connectQueue, programVersion } from './options.js';
import { CancelWatch } from './cancel-watch.js';
import type { QueueConnection } from '../../testing/jobs/queue/connection.js';

/** How often results are saved, after which those of their jobs are deleted. */
const SAVE_MS = 3_000;

/** The first letters of a digest of anything. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);
}

/** A fuzz campaign on a queue: its results are kept there, so that the same command goes on with it anywhere. */
export class FuzzQueue implements JobRunner {
  /** Beginning of the keys of its parts. */
  readonly key: string;
  /** Results of an earlier command. */
  readonly earlier: CampaignParts;
  readonly #connection: QueueConnection;
  readonly #campaigns: QueuedCampaigns;
  readonly #runner: QueueRunner;
  readonly #watch: CancelWatch;
  #campaign: QueuedCampaign;
  #ended: Job[] = [];
  #savedMs = performance.now();

  private constructor(
    connection: QueueConnection,
    { runner, campaign, earlier }: { runner: QueueRunner; campaign: QueuedCampaign; earlier: CampaignParts },
  ) {
    this.#connection = connection;
    this.#campaigns = new QueuedCampaigns(connection);
    this.#runner = runner;
    this.#campaign = campaign;
    this.key = campaign.key;
    this.earlier = earlier;
    this.#watch = new CancelWatch(this.#campaigns, campaign.name, (error) => connection.trouble(error));
  }

  static async open(
    args: QueueArguments & { readonly name: string },
    plan: readonly CampaignInput[],
    corpus: readonly CorpusEntry[],
  ): Promise<FuzzQueue> {
    const { name } = args;
    // What decides about the results of chunks.
    const options = plan.map(({ timeBudgetMs: _time, maxFinds: _finds, ...rest }) => rest);
    const connection = await connectQueue(args);
    try {
      const campaigns = new QueuedCampaigns(connection);
      const runs = options.map((each) => each.runs ?? null);
      const now = new Date().toISOString();
      const campaign = await campaigns.begin({
        name,
        kind: 'fuzz',
        version: programVersion(),
        key: `${name}@${digestOf([options, corpus])}`,
        status: 'running',
        begunAt: now,
        changedAt: now,
        total: runs.reduce<number | null>(
          (sum, each) => (sum === null || each === null ? null : sum + each),
          0,
        ),
        done: 0,
        steps: 0,
        found: 0,
      });
      const earlier = ((await campaigns.results(name)) ?? []) as CampaignParts;
      const runner = await QueueRunner.open(connection);
      if (runner.processes === 0)
        process.stderr.write('sim: no worker is there yet: start one with sim worker --queue …\n');
      return new FuzzQueue(connection, { runner, campaign, earlier });
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Aborted when the campaign is cancelled. */
  get cancelled(): AbortSignal {
    return this.#watch.signal;
  }

  get window(): number {
    return this.#runner.window;
  }

  share(key: string, value: unknown): Promise<void> {
    return this.#runner.share(key, value);
  }

  async run(job: Job): Promise<JobOutcome> {
    const outcome = await this.#runner.run(job);
    if (outcome.kind === 'done' || outcome.kind === 'crashed') this.#ended.push(job);
    return outcome;
  }

  stop(): void {
    this.#runner.stop();
  }

  async close(): Promise<void> {
    this.#watch.close();
    await this.#runner.close();
    this.#connection.close();
  }

  /** Saves the results from time to time: `before` of the parts that have ended, and that of the current one. */
  async onState(state: CampaignState, before: CampaignParts, key: string): Promise<void> {
    if (performance.now() - this.#savedMs < SAVE_MS || state.shrinking > 0) return;
    const [merged, others] = [[] as Job[], [] as Job[]];
    for (const job of this.#ended) {
      const { campaign, first = -1 } = job.data as Partial<ChunkJob>;
      // Chunks that are done but not merged are asked for again by the next command, if need be.
      (campaign !== key || first < state.next ? merged : others).push(job);
    }
    this.#ended = others;
    await this.#save([...before, state.summary(0)], 'running');
    await this.#runner.forget(merged);
    this.#savedMs = performance.now();
  }

  /** Saves the final results, or those so far. */
  async end(parts: CampaignParts, isInterrupted: boolean): Promise<void> {
    const status = this.cancelled.aborted ? 'cancelled' : isInterrupted ? 'interrupted' : 'finished';
    await this.#save(parts, status);
    if (status !== 'interrupted') await this.#campaigns.clear(this.#campaign);
  }

  async #save(parts: CampaignParts, status: QueuedCampaign['status']): Promise<void> {
    const whole = mergedSummaries(parts.filter((part): part is Summary => part !== null));
    const { runs: done, steps } = whole;
    this.#campaign = { ...this.#campaign, status, done, steps, found: findsOf(whole).length };
    await this.#campaigns.writeResults(this.#campaign.name, parts);
    if (!this.cancelled.aborted || status === 'cancelled') await this.#campaigns.write(this.#campaign);
  }
}
