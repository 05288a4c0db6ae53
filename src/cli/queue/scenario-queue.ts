import { type ScenarioResult, everyStep, tally } from '../../testing/scenario/results.js';
import type { PlayOne } from '../../testing/scenario/run.js';
import type { Scenario } from '../../testing/scenario/scenario.js';
import { isDetailed } from '../run/arguments.js';
import type { RunArguments } from '../run/commands.js';
import { fileDigest, playerBy } from '../run/scenario-job.js';
import type { QueueArguments } from './options.js';
import { type Ending, QueueCampaign } from './queue-campaign.js';

/** Interval between progress reports in real milliseconds. */
const REPORT_MS = 1_000;

/** Plays scenarios on the workers of a queue. Each worker reads the scenarios from its own disk, where they must be identical. */
export class ScenarioQueue {
  readonly play: PlayOne;
  readonly #campaign: QueueCampaign;
  readonly #total: number;
  readonly #ended = new Map<string, ScenarioResult>();
  #reportedMs = 0;

  private constructor(campaign: QueueCampaign, played: PlayOne, total: number) {
    this.#campaign = campaign;
    this.#total = total;
    this.play = async (scenario) => {
      const result = await played(scenario);
      if (result !== null) this.#ended.set(scenario.id, result);
      if (performance.now() - this.#reportedMs >= REPORT_MS) await this.#report();
      return result;
    };
  }

  static async open(
    args: RunArguments & QueueArguments,
    scenarios: readonly Scenario[],
  ): Promise<ScenarioQueue> {
    const { name, paths, target, engine, seed, tag, grep, timeout, shard } = args;
    const digests = new Map(scenarios.map(({ file }) => [file, fileDigest(file)]));
    const campaign = await QueueCampaign.open(args, {
      name,
      kind: 'scenarios',
      unit: 'scenarios',
      total: scenarios.length,
      identity: [paths, target, engine, seed, tag, grep, timeout, shard, isDetailed(args), [...digests]],
    });
    // A worker needs neither the address of the queue nor where reports go.
    const { queue: _queue, ...shared } = args;
    const suite = `${campaign.key}/suite`;
    const digestOf = (file: string) => digests.get(file) ?? '';
    const played = await playerBy(campaign, shared, { suite, digestOf });
    return new ScenarioQueue(campaign, played, scenarios.length);
  }

  /** Aborted when the campaign is cancelled. */
  get cancelled(): AbortSignal {
    return this.#campaign.cancelled.signal;
  }

  /** Number of scenarios to start in parallel. */
  get window(): number {
    return this.#campaign.window;
  }

  /** Withdraws the scenarios that no worker has started. */
  stop(): void {
    this.#campaign.stop();
  }

  async end(how: Ending): Promise<void> {
    await this.#report();
    await this.#campaign.end(how);
  }

  close(): Promise<void> {
    return this.#campaign.close();
  }

  async #report(): Promise<void> {
    this.#reportedMs = performance.now();
    const results = [...this.#ended.values()];
    await this.#campaign.report(
      {
        title: null,
        unit: 'scenarios',
        done: results.length,
        total: this.#total,
        found: tally(results).failed,
        coverage: null,
      },
      results.reduce((sum, { steps }) => sum + everyStep(steps).length, 0),
    );
  }
}
