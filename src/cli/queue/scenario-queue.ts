import { QueueRunner } from '../../testing/jobs/queue/queue-runner.js';
import { type ScenarioResult, everyStep, tally } from '../../testing/scenario/results.js';
import type { PlayOne } from '../../testing/scenario/run.js';
import type { Scenario } from '../../testing/scenario/scenario.js';
import type { RunArguments } from '../run/arguments.js';
import { fileDigest, playerBy } from '../run/scenario-job.js';
import { QueuedCampaigns } from './campaigns.js';
import { digestOf } from './fuzz-queue.js';
import { type QueueArguments, connectQueue, programVersion } from './options.js';

/** Has scenarios played by the workers of a queue. Each worker reads them from its own disk, where they must be the same. */
export async function queuePlayers(
  args: RunArguments & QueueArguments,
  scenarios: readonly Scenario[],
): Promise<{
  play: PlayOne;
  parallel: number;
  close: (results: readonly ScenarioResult[] | null) => Promise<void>;
}> {
  const { name, paths, target, engine, seed, tag, grep, timeout, shard } = args;
  const digests = new Map(scenarios.map(({ file }) => [file, fileDigest(file)]));
  const now = new Date().toISOString();
  const connection = await connectQueue(args);
  const campaigns = new QueuedCampaigns(connection);
  try {
    const campaign = await campaigns.begin({
      name,
      kind: 'scenarios',
      version: programVersion(),
      key: `${name}@${digestOf([paths, target, engine, seed, tag, grep, timeout, shard, [...digests]])}`,
      status: 'running',
      begunAt: now,
      changedAt: now,
      total: scenarios.length,
      done: 0,
      steps: 0,
      found: 0,
    });
    const runner = await QueueRunner.open(connection);
    const suite = `${campaign.key}/suite`;
    // A worker needs neither the address of the queue nor where reports go.
    const { queue: _queue, ...shared } = args;
    return {
      play: await playerBy(runner, shared, { suite, digestOf: (file) => digests.get(file) ?? '' }),
      parallel: runner.window,
      close: async (results) => {
        const ended = results ?? [];
        const steps = ended.reduce((sum, each) => sum + everyStep(each.steps).length, 0);
        const status = results === null ? 'interrupted' : 'finished';
        await campaigns.write({ ...campaign, status, done: ended.length, steps, found: tally(ended).failed });
        if (status === 'finished') await campaigns.clear(campaign);
        await runner.close();
        connection.close();
      },
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}
