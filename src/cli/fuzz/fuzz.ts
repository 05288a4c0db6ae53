import { type Progress, type FailureFile, type Summary, findsOf } from '../../testing/fuzz-library.js';
import { type ProgressReport, ProgressView } from '../progress.js';
import { FindFolder, replayKnown } from './failures.js';
import { type CampaignParts, type FuzzPlan, planOf } from './options.js';
import { approachTexts, resultJson, summaryText } from './summary-text.js';
import { merged } from '../../testing/fuzz/campaign/summary.js';
import { InlineCampaigns, campaignBy } from '../../testing/fuzz-campaign.js';
import { type Interrupts, interruptible } from '../interrupts.js';
import { type OpenRunner, withRunner } from '../jobs.js';
import type { QueueTask } from '../queue/queue-campaign.js';
import { EXIT } from '../usage.js';
import { readCorpus, writeCorpus } from './corpus.js';
import type { FuzzArguments } from './flags.js';
import { reportOf } from './report.js';

/** Number of runs of all campaigns of a plan; null for no limit. */
function totalOf({ campaigns }: Pick<FuzzPlan, 'campaigns'>): number | null {
  return campaigns.reduce<number | null>(
    (sum, { runs }) => (sum === null || runs === undefined ? null : sum + runs),
    0,
  );
}

/** The progress of a plan; `before` has the results of the campaigns that have ended. */
function progressReport(
  plan: FuzzPlan,
  { runs, steps, reached: { coverage, goals, approaches } }: Progress,
  { before, finds }: { before: CampaignParts; finds: FindFolder },
): ProgressReport {
  const counts = Object.values(goals);
  const reached = counts.filter((times) => times > 0).length;
  return {
    title: plan.campaigns.length === 1 ? undefined : plan.campaigns[before.length]?.property,
    unit: 'runs',
    done: before.reduce((sum, each) => sum + (each?.runs ?? 0), runs),
    total: totalOf(plan),
    work: { unit: 'steps', done: before.reduce((sum, each) => sum + (each?.steps ?? 0), steps) },
    found: finds.kept.size,
    coverage: { unit: 'pairs', count: coverage.length },
    more: [`goals ${reached}/${counts.length}`, ...approachTexts(approaches)],
  };
}

function findsIn(parts: CampaignParts): FailureFile[] {
  return parts.flatMap((part) => (part === null ? [] : findsOf(part)));
}

/** The campaigns of a plan as one campaign on a queue. The options that determine the results of ranges identify it. */
function taskOf(plan: FuzzPlan): QueueTask {
  const identity = plan.campaigns.map(({ timeBudgetMs: _time, maxFinds: _finds, ...rest }) => rest);
  return { kind: 'fuzz', unit: 'runs', total: totalOf(plan), identity, budgetMs: plan.timeBudgetMs };
}

/** The campaigns of a plan, which are played one after another. */
class Search {
  readonly plan: FuzzPlan;
  readonly finds: FindFolder;
  readonly progress: ProgressView;
  /** The results of the campaigns that have ended. */
  readonly parts: (Summary | null)[] = [];
  /** A campaign in this process shows each sequence. */
  readonly inline = new InlineCampaigns({}, (reached) => this.progress.update(() => this.#report(reached)));

  constructor({ out, json }: FuzzArguments, plan: FuzzPlan) {
    this.plan = plan;
    this.finds = new FindFolder(out);
    this.progress = new ProgressView({ budgetMs: plan.timeBudgetMs, isJson: json });
  }

  /** `known`: counterexamples of earlier campaigns that still fail. A queue keeps the results of campaigns, which go on from there. */
  async play({ runner, queue, signal }: OpenRunner, known: readonly FailureFile[]): Promise<void> {
    const { plan, parts, finds, progress, inline } = this;
    const earlier = ((await queue?.results()) ?? []) as CampaignParts;
    // A coordinator that stopped may have saved its counterexamples on another machine, or not at all.
    for (const file of findsIn(earlier)) await finds.add(file);
    for (const input of plan.campaigns) {
      const before = earlier[parts.length] ?? null;
      const begunMs = performance.now();
      if (signal.aborted) {
        parts.push(before);
        continue;
      }
      const { property = '' } = input;
      const summary = await campaignBy(
        { runner, key: queue === null ? property : `${queue.key}/${property}` },
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
          inline.onState(state, isOver);
          const now = () => this.#report(state.progress());
          await queue?.report(now);
          const seconds = (performance.now() - begunMs) / 1_000 + (before?.seconds ?? 0);
          if (state.shrinking === 0) await queue?.saveAtTimes(() => [...parts, state.summary(seconds)]);
          progress.update(now);
        },
      );
      parts.push(summary);
    }
    progress.clear();
  }

  #report(reached: Progress): ProgressReport {
    return progressReport(this.plan, reached, { before: this.parts, finds: this.finds });
  }
}

async function search(args: FuzzArguments, interrupts: Interrupts): Promise<void> {
  const corpus = args.corpus === undefined ? null : readCorpus(args.corpus);
  const plan = planOf(args, corpus);
  const html = reportOf(args);
  const searching = new Search(args, plan);
  const { inline, finds, parts } = searching;
  const { failing, unchecked } = await replayKnown(args.out, interrupts.signal);
  const jobs = { signal: interrupts.signal, task: () => taskOf(plan), inline: () => inline.runner };
  try {
    await withRunner(args, jobs, async (open) => {
      const { queue } = open;
      await searching.play(open, failing);
      const summary = merged(parts.filter((part) => part !== null));
      await queue?.saveResults(parts);
      await queue?.end(interrupts.received === null ? 'finished' : 'interrupted', {
        unit: 'runs',
        done: summary.runs,
        total: totalOf(plan),
        work: { unit: 'steps', done: summary.steps },
        found: findsOf(summary).length,
        coverage: { unit: 'pairs', count: summary.coverage.length },
      });
      if (args.corpus !== undefined) writeCorpus(args.corpus, summary.corpus);
      html?.write(summary);
      const text = args.json ? resultJson : summaryText;
      const isCancelled = queue?.cancelled.signal.aborted === true;
      const interrupted = interrupts.received ?? (isCancelled ? 'sim campaign cancel' : null);
      process.stdout.write(text(summary, finds.kept, { interrupted, isKept: queue !== null, unchecked }));
      if (summary.found !== null || summary.crashed.length > 0 || failing.length > 0)
        process.exitCode = EXIT.failed;
      else if (interrupts.exitCode !== null) process.exitCode = interrupts.exitCode;
      else if (interrupted !== null) process.exitCode = EXIT.failed;
    });
  } finally {
    await inline.close();
  }
}

/**
 * Searches for counterexamples. Sets exit code 1 if a counterexample is found or still fails, or if a part could not be played; otherwise the code of an interrupting signal.
 */
export async function fuzz(args: FuzzArguments): Promise<void> {
  await interruptible((interrupts) => search(args, interrupts));
}
