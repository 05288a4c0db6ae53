import { QueueRunner } from '../../testing/jobs/queue/queue-runner.js';
import { resultJson, summaryText } from '../fuzz/summary-text.js';
import { printResult } from '../print-result.js';
import { secondsText } from '../progress.js';
import { readable } from '../remote/table.js';
import { UsageError } from '../usage.js';
import { QueuedCampaigns } from './campaigns.js';
import type { QueueArguments } from './options.js';
import type { Summary } from '../../testing/fuzz-library.js';

type Arguments = QueueArguments & { readonly json: boolean };
type Named = Arguments & { readonly name: string };

async function withQueueRunner<T>(
  { connection }: QueuedCampaigns,
  work: (runner: QueueRunner) => Promise<T>,
): Promise<T> {
  const runner = await QueueRunner.start(connection);
  try {
    return await work(runner);
  } finally {
    await runner.close();
  }
}

/** The columns of the list of campaigns. */
const CAMPAIGNS = ['name', 'status', 'kind', 'done', 'total', 'unit', 'found', 'changedAt'];

export async function listCampaigns(args: Arguments): Promise<void> {
  const all = await QueuedCampaigns.with(args, (campaigns) => campaigns.all());
  const text = all.length === 0 ? 'no campaigns' : readable({ campaigns: all }, { campaigns: CAMPAIGNS });
  printResult(args, all, text);
}

/** Shows the progress of a campaign, and the number of worker processes of this version. */
export async function showStatus(args: Named): Promise<void> {
  await QueuedCampaigns.with(args, async (campaigns) => {
    const campaign = await campaigns.get(args.name);
    const processes = await withQueueRunner(campaigns, async (runner) => runner.processes);
    const status = { ...campaign, processes };
    const { key: _key, rate, secondsLeft, ...shown } = status;
    const left = secondsLeft === null ? null : secondsText(secondsLeft);
    const text = readable(status.status === 'running' ? { ...shown, rate, left } : shown);
    printResult(args, status, text);
  });
}

export async function printReport(args: Named): Promise<void> {
  await QueuedCampaigns.with(args, async (campaigns) => {
    const { kind, status: state } = await campaigns.get(args.name);
    if (kind !== 'fuzz')
      throw new UsageError(
        `${args.name}: sim ${kind === 'study' ? 'study' : 'run'} itself writes the results`,
      );
    const summary = (await campaigns.results(args.name)) as Summary | undefined;
    if (summary === undefined) throw new UsageError(`${args.name} has no results yet`);
    const ending = {
      interrupted: state === 'finished' ? null : `its status: ${state}`,
      isKept: true,
      unchecked: 0,
    };
    process.stdout.write((args.json ? resultJson : summaryText)(summary, new Map(), ending));
  });
}

/** Cancels a campaign. No more of its jobs start. */
export async function cancelCampaign(args: Named): Promise<void> {
  await QueuedCampaigns.with(args, async (campaigns) => {
    const campaign = await campaigns.get(args.name);
    if (campaign.status === 'finished') throw new UsageError(`${args.name} is finished`);
    await campaigns.write({ ...campaign, status: 'cancelled' });
    await withQueueRunner(campaigns, (runner) => runner.removeWaiting(campaign.key));
    printResult(args, { cancelled: args.name }, `cancelled ${args.name}`);
  });
}
