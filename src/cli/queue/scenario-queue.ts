import { type ScenarioResult, everyStep, tally } from '../../testing/scenario/results.js';
import type { Scenario } from '../../testing/scenario/scenario.js';
import { isDetailed } from '../run/arguments.js';
import type { RunArguments } from '../run/flags.js';
import { type Players, fileDigest, playerBy } from '../run/scenario-job.js';
import type { QueueArguments } from './options.js';
import { QueueCampaign } from './queue-campaign.js';

/** Interval between progress reports in real milliseconds. */
const REPORT_MS = 1_000;

/** Plays scenarios on the workers of a queue. Each worker reads the scenarios from its own disk, where they must be identical. */
export async function queuedPlayers(
  args: RunArguments & QueueArguments,
  scenarios: readonly Scenario[],
): Promise<Players> {
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
  const ended = new Map<string, ScenarioResult>();
  let reportedMs = 0;
  const report = async () => {
    reportedMs = performance.now();
    const results = [...ended.values()];
    const counts = { done: results.length, total: scenarios.length, found: tally(results).failed };
    await campaign.report(
      { title: null, unit: 'scenarios', ...counts, coverage: null },
      results.reduce((sum, { steps }) => sum + everyStep(steps).length, 0),
    );
  };
  return {
    play: async (scenario) => {
      const result = await played(scenario);
      if (result !== null) ended.set(scenario.id, result);
      if (performance.now() - reportedMs >= REPORT_MS) await report();
      return result;
    },
    parallel: () => campaign.window,
    stop: () => campaign.stop(),
    cancelled: campaign.cancelled.signal,
    end: async (how) => {
      await report();
      await campaign.end(how);
    },
    close: () => campaign.close(),
  };
}
