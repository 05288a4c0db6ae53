import { type FailureFile, type Progress, type Summary, findsOf } from '../../testing/fuzz-library.js';
import { merged } from '../../testing/fuzz/campaign/merge-summaries.js';
import { InlineCampaigns, campaignBy } from '../../testing/fuzz-campaign.js';
import type { JobRunner } from '../../testing/jobs/job-runner.js';
import { ProcessRunner } from '../../testing/jobs/process-runner.js';
import { Interrupts } from '../interrupts.js';
import { JOB_PROGRAM } from '../jobs.js';
import type { FuzzQueue } from '../queue/fuzz-queue.js';
import { ProgressView } from '../progress.js';
import { EXIT } from '../usage.js';
import { readCorpus, writeCorpus } from './corpus-files.js';
import { replayKnown } from './failures.js';
import { FindFolder } from './find-folder.js';
import { progressReport } from './fuzz-progress.js';
import type { FuzzArguments } from './flags.js';
import { type CampaignParts, type FuzzPlan, planOf } from './options.js';
import { reportOf } from './report.js';
import { resultJson, summaryText } from './summary-text.js';

/** The inputs of a search other than its plan. */
interface Search {
  readonly signal: AbortSignal;
  /** Counterexamples of earlier campaigns that still fail. */
  readonly known: readonly FailureFile[];
  readonly finds: FindFolder;
  /** Where the campaign that it continues ended. */
  readonly earlier: CampaignParts;
  /** Null for a campaign on this machine. */
  readonly queue: FuzzQueue | null;
  readonly progress: ProgressView;
}

const isPart = (part: Summary | null | undefined): part is Summary => part !== null && part !== undefined;

function findsIn(parts: CampaignParts): FailureFile[] {
  return parts.filter(isPart).flatMap(findsOf);
}

async function play(
  plan: FuzzPlan,
  { signal, known, finds, earlier, queue, progress }: Search,
): Promise<CampaignParts> {
  const names = plan.campaigns.map(({ property = '' }) => property);
  const parts: (Summary | null)[] = [];
  const show = (reached: Progress) => {
    const property = names[parts.length] ?? '';
    progress.update(() => progressReport(plan, reached, { property, before: parts, finds }));
  };
  // A campaign in this process shows each sequence.
  const inline = queue === null && plan.workers === 1 ? new InlineCampaigns({}, show) : null;
  const runner: JobRunner =
    queue?.campaign ?? inline?.runner ?? new ProcessRunner({ ...JOB_PROGRAM, count: plan.workers });
  const stop = () => runner.stop();
  signal.addEventListener('abort', stop);
  try {
    for (const [at, input] of plan.campaigns.entries()) {
      const before = earlier[at] ?? null;
      if (signal.aborted) {
        parts.push(before);
        continue;
      }
      const name = names[at] ?? '';
      const summary = await campaignBy(
        { runner, key: queue?.keyOf(name) ?? name },
        {
          ...input,
          known: [...known, ...findsIn(parts)],
          ...(before === null ? {} : { earlier: before }),
          signal,
          onFound: ({ text }) => {
            progress.clear();
            process.stderr.write(`sim: found a failure (${text.slice(0, 200)}); shrinking it\n`);
          },
          onKept: (file) => finds.add(file),
        },
        async (state, isOver) => {
          inline?.onState(state, isOver);
          await queue?.onState(state, parts);
          show(state.progress({ runs: 0, steps: 0 }));
        },
      );
      parts.push(summary);
    }
    return parts;
  } finally {
    signal.removeEventListener('abort', stop);
    if (queue === null) await (inline ?? runner).close();
  }
}

/** Opens the requested queue. Throws UsageError. */
async function queueOf(args: FuzzArguments, plan: FuzzPlan): Promise<FuzzQueue | null> {
  const { queue } = args;
  if (queue === undefined) return null;
  const { FuzzQueue: Queue } = await import('../queue/fuzz-queue.js');
  return Queue.open({ ...args, queue }, plan);
}

async function search(args: FuzzArguments, interrupts: Interrupts): Promise<void> {
  const corpus = args.corpus === undefined ? null : readCorpus(args.corpus);
  const plan = planOf(args, corpus);
  const report = reportOf(args);
  const finds = new FindFolder(args.out);
  const progress = new ProgressView({ budgetMs: plan.timeBudgetMs, isJson: args.json });
  const known = await replayKnown(args.out, interrupts.signal);
  const queue = await queueOf(args, plan);
  const signals = queue === null ? [interrupts.signal] : [interrupts.signal, queue.campaign.cancelled.signal];
  const earlier = queue?.earlier ?? [];
  // A coordinator that stopped may have saved its counterexamples on another machine, or not at all.
  for (const file of findsIn(earlier)) void finds.add(file);
  const searching = {
    signal: AbortSignal.any(signals),
    known: known.failing,
    finds,
    earlier,
    queue,
    progress,
  };
  try {
    const parts = await play(plan, searching);
    await queue?.end(parts, interrupts.received === null ? 'finished' : 'interrupted');
    progress.clear();
    const summary = merged(parts.filter(isPart));
    if (args.corpus !== undefined) writeCorpus(args.corpus, summary.corpus);
    await finds.written;
    report?.write(summary);
    const text = args.json ? resultJson : summaryText;
    const interrupted =
      interrupts.received ??
      (queue?.campaign.cancelled.signal.aborted === true ? 'sim campaign cancel' : null);
    const { failing, unchecked } = known;
    process.stdout.write(text(summary, finds.kept, { interrupted, isKept: queue !== null, unchecked }));
    if (summary.found !== null || summary.crashed.length > 0 || failing.length > 0)
      process.exitCode = EXIT.failed;
    else if (interrupts.exitCode !== null) process.exitCode = interrupts.exitCode;
    else if (interrupted !== null) process.exitCode = EXIT.failed;
  } finally {
    await queue?.campaign.close();
  }
}

/**
 * Searches for counterexamples. Sets exit code 1 if a counterexample is found or still fails, or if a part could not be played; otherwise the code of an interrupting signal.
 */
export async function fuzz(args: FuzzArguments): Promise<void> {
  await Interrupts.during((interrupts) => search(args, interrupts));
}
