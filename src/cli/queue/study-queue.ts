import type { JobRunner } from '../../testing/jobs/job-runner.js';
import { QueueRunner } from '../../testing/jobs/queue/queue-runner.js';
import type { StudyProgress } from '../study/progress.js';
import { QueuedCampaigns } from './campaigns.js';
import { CancelWatch } from './cancel-watch.js';
import { type QueueArguments, connectQueue, programVersion } from './options.js';

/** A study on a queue. */
export interface StudyQueue {
  readonly runner: JobRunner;
  /** Beginning of the keys of its jobs. */
  readonly key: string;
  /** Aborted when it is cancelled. */
  readonly signals: readonly AbortSignal[];
  /** Saves how it ended; null for an error. */
  readonly close: (isFinished: boolean | null, progress: StudyProgress) => Promise<void>;
}

/** Has the runs of a study played by the workers of a queue. Those of an earlier command are found again by the name of the study. */
export async function openStudyQueue(
  args: QueueArguments & { readonly name: string },
  { digest, runs }: { readonly digest: string; readonly runs: number },
): Promise<StudyQueue> {
  const { name } = args;
  const connection = await connectQueue(args);
  try {
    const campaigns = new QueuedCampaigns(connection);
    const now = new Date().toISOString();
    const campaign = await campaigns.begin({
      name,
      kind: 'study',
      version: programVersion(),
      key: `${name}@${digest}`,
      status: 'running',
      begunAt: now,
      changedAt: now,
      total: runs,
      done: 0,
      steps: 0,
      found: 0,
    });
    const runner = await QueueRunner.open(connection);
    if (runner.processes === 0)
      process.stderr.write('sim: no worker is there yet: start one with sim worker --queue …\n');
    const watch = new CancelWatch(campaigns, name, (error) => connection.trouble(error));
    return {
      runner,
      key: campaign.key,
      signals: [watch.signal],
      close: async (isFinished, { runs: done, actions: steps, failed: found }) => {
        watch.close();
        const status = watch.signal.aborted ? 'cancelled' : isFinished === true ? 'finished' : 'interrupted';
        await campaigns.write({ ...campaign, status, done, steps, found });
        if (status !== 'interrupted') await campaigns.clear(campaign);
        await runner.close();
        connection.close();
      },
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}
