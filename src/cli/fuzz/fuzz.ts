import {
  type CampaignInput,
  COMMANDS,
  PROPERTIES,
  type Summary,
  campaign,
  missedGoals,
} from '../../testing/fuzz-library.js';
import { InvalidOptions } from '../../runtime/config.js';
import { merged } from '../../testing/fuzz/campaign/summary.js';
import { Interrupts } from '../interrupts.js';
import { EXIT, UsageError } from '../usage.js';
import { readCorpus, writeCorpus } from './corpus-files.js';
import { failureText, keepFailure, stillFailing } from './failures.js';
import { shownOf } from './fuzz-worker.js';
import { type FuzzArguments, type FuzzPlan, planOf } from './options.js';
import { ProgressView, approachTexts, counted } from './progress.js';
import { openReport } from './report.js';
import { FuzzWorkers } from './workers.js';

/** The result for people. */
function summaryText(summary: Summary, kept: readonly string[], interrupted: string | null): string {
  const { runs, steps, seconds, coverage, goals, approaches, found } = summary;
  const missed = missedGoals(summary);
  const reached = Object.keys(goals).length - missed.length;
  const lines = [
    `${interrupted === null ? '' : `Interrupted by ${interrupted}. `}${found === null ? 'Every rule held' : 'A rule was broken'} in ${counted(runs)} runs of ${counted(steps)} steps (${seconds.toFixed(1)} s, ${counted(steps / Math.max(seconds, 0.001))} steps/s).`,
    `Reached: ${counted(coverage.length)} pairs of state and outcome, ${reached} of ${Object.keys(goals).length} goals.`,
    `Closest approach: ${approachTexts(approaches).join(', ')}.`,
  ];
  if (missed.length > 0) lines.push(`Never reached: ${missed.join(', ')}.`);
  if (found !== null) lines.push('', failureText(found), ...kept.map((path) => `  ${path}`));
  const [path] = kept;
  if (path !== undefined) lines.push('', `Replay it: sim replay ${path}`);
  return `${lines.join('\n')}\n`;
}

function list(): void {
  const lines = [
    'Properties:',
    ...PROPERTIES.map(({ name, description }) => `  ${name.padEnd(12)} ${description}`),
    'Commands and their weights:',
    ...COMMANDS.map(({ name, weight }) => `  ${name.padEnd(18)} ${weight}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** The progress display and the signal that stops campaigns. */
interface Showing {
  readonly view: ProgressView;
  readonly signal: AbortSignal;
}

/** Runs campaigns in this process. */
async function playHere(
  inputs: readonly CampaignInput[],
  args: FuzzArguments,
  { view, signal }: Showing,
): Promise<Summary> {
  const parts: Summary[] = [];
  let corpus = args.corpus === undefined ? [] : readCorpus(args.corpus);
  for (const input of inputs) {
    if (signal.aborted) break;
    const summary = await campaign({
      ...input,
      corpus,
      signal,
      onProgress: (progress) => {
        if (view.isDue) view.show(shownOf(input.property ?? '', progress));
      },
      onFound: ({ text }) => {
        view.clear();
        process.stderr.write(`sim: found a failure (${text.slice(0, 200)}); shrinking it\n`);
      },
    });
    parts.push(summary);
    corpus = [...summary.corpus];
    if (summary.found !== null) break;
  }
  return merged(parts, 'after');
}

async function playBeside(
  plan: FuzzPlan,
  argv: readonly string[],
  { view, signal }: Showing,
): Promise<Summary> {
  const workers = new FuzzWorkers(argv, plan.workers, signal);
  try {
    const parts: Summary[] = [];
    for (const at of plan.campaigns.keys()) {
      if (signal.aborted) break;
      const summary = await workers.play(at, (shown) => {
        if (view.isDue) view.show(shown);
      });
      parts.push(summary);
      if (summary.found !== null) break;
    }
    return merged(parts, 'after');
  } finally {
    workers.close();
  }
}

/** The result as JSON: without the corpus, and with the missed goals. */
function resultJson(summary: Summary, kept: readonly string[], interrupted: string | null): string {
  const { corpus: _corpus, discoveries: _discoveries, coverage, ...told } = summary;
  return `${JSON.stringify({ ...told, pairs: coverage.length, missed: missedGoals(summary), kept, interrupted })}\n`;
}

async function search(args: FuzzArguments, argv: readonly string[], interrupts: Interrupts): Promise<void> {
  const { signal } = interrupts;
  const plan = planOf(args);
  const report = openReport(args.report);
  const failing = args.known ? await stillFailing(args.out, signal) : [];
  if (failing.length > 0) {
    process.stderr.write(
      `sim: ${failing.length} counterexample${failing.length === 1 ? '' : 's'} of ${args.out} still fail${failing.length === 1 ? 's' : ''}; --no-known searches for others anyway\n`,
    );
    process.exitCode = EXIT.failed;
    return;
  }
  const view = new ProgressView(plan.timeBudgetMs, () => performance.now());
  const showing = { view, signal };
  const summary = await (
    plan.workers === 1 ? playHere(plan.campaigns, args, showing) : playBeside(plan, argv, showing)
  ).catch((error: unknown) => {
    throw error instanceof RangeError || error instanceof InvalidOptions
      ? new UsageError(error.message)
      : error;
  });
  view.clear();
  if (args.corpus !== undefined) writeCorpus(args.corpus, summary.corpus);
  const kept = summary.found === null ? [] : await keepFailure(args.out, summary.found);
  report?.write(summary);
  const text = args.json ? resultJson : summaryText;
  process.stdout.write(text(summary, kept, interrupts.received));
  if (summary.found !== null) process.exitCode = EXIT.failed;
  else if (interrupts.exitCode !== null) process.exitCode = interrupts.exitCode;
}

/**
 * Searches for counterexamples. Sets exit code 1 if one is found, else the code of an interrupting signal. `argv` is the command line,
 * for workers.
 */
export async function fuzz(args: FuzzArguments, argv: readonly string[]): Promise<void> {
  if (args.list) list();
  else await Interrupts.during((interrupts) => search(args, argv, interrupts));
}
