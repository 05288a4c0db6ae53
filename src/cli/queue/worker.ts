import { counted } from '../../core/counted.js';
import { parseDuration } from '../../core/domain/calendar.js';
import { openWorker } from '../../testing/jobs/queue/queue-worker.js';
import { shownUrl } from '../../testing/jobs/queue/connection.js';
import { interruptible, untilAborted } from '../interrupts.js';
import { JOB_PROGRAM } from '../jobs.js';
import { UsageError, wholeNumber } from '../usage.js';
import { QueuedCampaigns } from './campaigns.js';
import { type QueueArguments, programVersion } from './options.js';

const MAX_CONCURRENCY = 256;
const SHORTEST_LEASE_MS = 1_000;

interface WorkerArguments extends QueueArguments {
  readonly concurrency: number;
  readonly lease: string;
}

/** Throws UsageError if all unfinished campaigns have other versions. This worker would never take their jobs. */
async function checkVersion(campaigns: QueuedCampaigns): Promise<void> {
  const running = (await campaigns.all()).filter(({ status }) => status === 'running');
  const others = running.filter(({ version }) => version !== programVersion());
  for (const { name, version } of others)
    process.stderr.write(
      `sim: the campaign ${name} has version ${version}, this worker has ${programVersion()}\n`,
    );
  if (others.length > 0 && others.length === running.length)
    throw new UsageError('all campaigns have other versions: install the version that started them');
}

/** Processes jobs of a queue until a signal arrives, then finishes the current jobs. */
export async function work(args: WorkerArguments): Promise<void> {
  const { concurrency, lease, queue } = args;
  wholeNumber('--concurrency', concurrency, 1, MAX_CONCURRENCY);
  const leaseMs = parseDuration(lease);
  if (leaseMs === null || leaseMs < SHORTEST_LEASE_MS)
    throw new UsageError(`--lease ${lease}: expected a duration from 1s, such as 30s`);
  await QueuedCampaigns.with(args, async (campaigns) => {
    await checkVersion(campaigns);
    await interruptible(async ({ signal }) => {
      const worker = await openWorker(campaigns.connection, { ...JOB_PROGRAM, concurrency, leaseMs });
      process.stderr.write(
        `sim: working for ${shownUrl(queue)} with ${concurrency} process${concurrency === 1 ? '' : 'es'}, version ${programVersion()}\n`,
      );
      await untilAborted(signal);
      await worker.close();
      process.stderr.write(`sim: ended after ${counted(worker.ended(), 'job')}\n`);
    });
  });
}
