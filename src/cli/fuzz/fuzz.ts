import {
  type CampaignInput,
  type Progress,
  type FailureFile,
  type Summary,
  findsOf,
} from '../../testing/fuzz-library.js';
import { type ProgressReport, ProgressView } from '../progress.js';
import { FindFolder, replayKnown } from './failures.js';
import { campaignOf } from './options.js';
import { approachTexts, resultJson, summaryText } from './summary-text.js';
import { InlineCampaigns, campaignBy } from '../../testing/fuzz-campaign.js';
import { type Interrupts, interruptible } from '../interrupts.js';
import { type OpenRunner, withRunner } from '../jobs.js';
import type { QueueTask } from '../queue/queue-campaign.js';
import { EXIT } from '../usage.js';
import { readCorpus, writeCorpus } from './corpus.js';
import type { FuzzArguments } from './flags.js';

/** The campaign of a queue. The options that determine the results of ranges identify it. */
function taskOf(input: CampaignInput): QueueTask {
  const { timeBudgetMs: budgetMs = null, maxFinds: _finds, ...identity } = input;
  return { kind: 'fuzz', unit: 'runs', total: input.runs ?? null, identity, budgetMs };
}

/** A campaign whose counterexamples are written to a folder. */
class Search {
  readonly input: CampaignInput;
  readonly finds: FindFolder;
  readonly progress: ProgressView;
  /** A campaign in this process shows each sequence. */
  readonly inline = new InlineCampaigns({}, (reached) => this.progress.update(() => this.report(reached)));

  constructor({ out, json }: FuzzArguments, input: CampaignInput) {
    this.input = input;
    this.finds = new FindFolder(out);
    this.progress = new ProgressView({ budgetMs: input.timeBudgetMs ?? null, isJson: json });
  }

  /** `known`: counterexamples of earlier campaigns that still fail. A queue keeps the result of a campaign, which goes on from there. */
  async play({ runner, queue, signal }: OpenRunner, known: readonly FailureFile[]): Promise<Summary> {
    const { input, finds, progress, inline } = this;
    const earlier = (await queue?.results()) as Summary | undefined;
    // A coordinator that stopped may have saved its counterexamples on another machine, or not at all.
    for (const file of earlier === undefined ? [] : findsOf(earlier)) await finds.add(file);
    const begunMs = performance.now();
    const summary = await campaignBy(
      { runner, key: queue?.key ?? 'fuzz' },
      {
        ...input,
        known,
        ...(earlier === undefined ? {} : { earlier }),
        signal,
        onFound: ({ text }) => {
          progress.clear();
          process.stderr.write(`sim: found a failure (${text.slice(0, 200)}); shrinking it\n`);
        },
        onKept: (file) => finds.add(file),
      },
      async (state, isOver) => {
        inline.onState(state, isOver);
        const now = () => this.report(state.progress());
        await queue?.report(now);
        const seconds = (performance.now() - begunMs) / 1_000 + (earlier?.seconds ?? 0);
        if (state.shrinking === 0) await queue?.saveAtTimes(() => state.summary(seconds));
        progress.update(now);
      },
    );
    progress.clear();
    return summary;
  }

  report({ runs, steps, reached: { coverage, goals, approaches } }: Progress): ProgressReport {
    const counts = Object.values(goals);
    const reached = counts.filter((times) => times > 0).length;
    return {
      unit: 'runs',
      done: runs,
      total: this.input.runs ?? null,
      work: { unit: 'steps', done: steps },
      found: this.finds.kept.size,
      coverage: { unit: 'pairs', count: coverage.length },
      more: [`goals ${reached}/${counts.length}`, ...approachTexts(approaches)],
    };
  }
}

async function search(args: FuzzArguments, interrupts: Interrupts): Promise<void> {
  const corpus = args.corpus === undefined ? null : readCorpus(args.corpus);
  const input = campaignOf(args, corpus);
  const searching = new Search(args, input);
  const { inline, finds } = searching;
  const { failing, unchecked } = await replayKnown(args.out, interrupts.signal);
  const jobs = { signal: interrupts.signal, task: () => taskOf(input), inline: () => inline.runner };
  try {
    await withRunner(args, jobs, async (open) => {
      const { queue } = open;
      const summary = await searching.play(open, failing);
      await queue?.saveResults(summary);
      await queue?.end(
        interrupts.received === null ? 'finished' : 'interrupted',
        searching.report({ runs: summary.runs, steps: summary.steps, reached: summary }),
      );
      if (args.corpus !== undefined) writeCorpus(args.corpus, summary.corpus);
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
