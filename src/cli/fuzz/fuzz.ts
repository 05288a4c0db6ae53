import {
  COMMANDS,
  type FailureFile,
  PROPERTIES,
  type Summary,
  campaign,
  findsOf,
  missedGoals,
} from '../../testing/fuzz-library.js';
import { InvalidOptions } from '../../runtime/config.js';
import { merged } from '../../testing/fuzz/campaign/summary.js';
import { Interrupts } from '../interrupts.js';
import { EXIT, UsageError } from '../usage.js';
import { readCorpus, writeCorpus } from './corpus-files.js';
import { type CampaignParts, readCampaign, writeCampaign } from './campaign-file.js';
import { failureText, stillFailing } from './failures.js';
import { FindFolder, type Kept } from './find-folder.js';
import { shownOf } from './fuzz-worker.js';
import { type FuzzArguments, type FuzzPlan, planOf } from './options.js';
import { ProgressCsv } from './progress-csv.js';
import { ProgressView, type Shown, approachTexts, counted } from './progress.js';
import { openReport } from './report.js';
import { FuzzWorkers } from './workers.js';

/** The result for people. */
function summaryText(summary: Summary, kept: Kept, interrupted: string | null): string {
  const { runs, steps, seconds, coverage, goals, approaches, repeats } = summary;
  const missed = missedGoals(summary);
  const reached = Object.keys(goals).length - missed.length;
  const rules = findsOf(summary).length;
  const verdict =
    rules === 0
      ? 'Every rule held'
      : rules === 1
        ? 'A rule was broken'
        : `Rules were broken in ${rules} ways`;
  const lines = [
    `${interrupted === null ? '' : `Interrupted by ${interrupted}. `}${verdict} in ${counted(runs)} runs of ${counted(steps)} steps (${seconds.toFixed(1)} s, ${counted(steps / Math.max(seconds, 0.001))} steps/s).`,
    `Reached: ${counted(coverage.length)} pairs of state and outcome, ${reached} of ${Object.keys(goals).length} goals.`,
    `Closest approach: ${approachTexts(approaches).join(', ')}.`,
  ];
  if (missed.length > 0) lines.push(`Never reached: ${missed.join(', ')}.`);
  if (repeats > 0) lines.push(`${counted(repeats)} more failures were ignored, or like one that was known.`);
  for (const file of findsOf(summary)) {
    const paths = kept.get(file.name) ?? [];
    lines.push('', failureText(file), ...paths.map((path) => `  ${path}`));
    if (paths.length > 0 && paths.every((path) => !path.endsWith('.yaml')))
      lines.push('  No scenario: it would not fail.');
    if (file.unrepeatable !== true && paths[0] !== undefined)
      lines.push(`  Replay it: sim replay ${paths[0]}`);
  }
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

/** What a search needs besides its plan. */
interface Search {
  readonly signal: AbortSignal;
  /** Counterexamples of earlier campaigns that still fail. */
  readonly known: readonly FailureFile[];
  readonly finds: FindFolder;
  /** Where the campaign ended that it goes on with. */
  readonly earlier: CampaignParts;
  readonly show: (shown: () => Shown) => void;
  readonly clear: () => void;
}

const isPart = (part: Summary | null | undefined): part is Summary => part !== null && part !== undefined;

function findsIn(parts: CampaignParts): FailureFile[] {
  return parts.flat().filter(isPart).flatMap(findsOf);
}

/** Runs campaigns in this process. */
async function playHere(
  { campaigns }: FuzzPlan,
  args: FuzzArguments,
  { signal, known, finds, earlier, show, clear }: Search,
): Promise<CampaignParts> {
  const parts: (readonly (Summary | null)[])[] = [];
  let corpus = args.corpus === undefined ? [] : readCorpus(args.corpus);
  for (const [at, input] of campaigns.entries()) {
    const before = earlier[at]?.[0] ?? null;
    if (signal.aborted || finds.size >= (input.maxFinds ?? 1)) {
      parts.push([before]);
      continue;
    }
    const summary = await campaign({
      ...input,
      maxFinds: (input.maxFinds ?? 1) - finds.size + (before === null ? 0 : findsOf(before).length),
      corpus,
      known: [...known, ...findsIn(parts)],
      ...(before === null ? {} : { earlier: before }),
      signal,
      onProgress: (progress) => show(() => shownOf(input.property ?? '', progress)),
      onFound: ({ text }) => {
        clear();
        process.stderr.write(`sim: found a failure (${text.slice(0, 200)}); shrinking it\n`);
      },
      onKept: (file) => {
        finds.add(file);
        return finds.written();
      },
    });
    parts.push([summary]);
    corpus = [...summary.corpus];
  }
  return parts;
}

/** Runs campaigns in worker processes. */
async function playBeside(
  plan: FuzzPlan,
  argv: readonly string[],
  { signal, known, finds, earlier, show }: Search,
): Promise<CampaignParts> {
  const workers = new FuzzWorkers(argv, plan.workers, signal);
  try {
    const parts: (readonly (Summary | null)[])[] = [];
    for (const [at, { maxFinds = 1 }] of plan.campaigns.entries()) {
      const before = earlier[at] ?? [];
      if (signal.aborted || finds.size >= maxFinds) {
        parts.push(before);
        continue;
      }
      const order = { campaign: at, known: [...known, ...findsIn(parts)], earlier: before };
      const played = await workers.play(order, {
        show: (shown) => show(() => shown),
        keep: (file) => {
          finds.add(file);
          if (finds.size >= maxFinds) workers.stop();
        },
      });
      parts.push(played.map((part, worker) => part ?? before[worker] ?? null));
    }
    return parts;
  } finally {
    workers.close();
  }
}

/** One result of all parts. */
function wholeOf(parts: CampaignParts): Summary {
  return merged(
    parts
      .map((workers) => workers.filter(isPart))
      .filter((workers) => workers.length > 0)
      .map((workers) => merged(workers, 'beside')),
    'after',
  );
}

/** The result as JSON: without the corpus, and with the missed goals. */
function resultJson(summary: Summary, kept: Kept, interrupted: string | null): string {
  const { corpus: _corpus, discoveries: _discoveries, coverage, ...told } = summary;
  const files = [...kept.values()].flat();
  return `${JSON.stringify({ ...told, pairs: coverage.length, missed: missedGoals(summary), kept: files, interrupted })}\n`;
}

/** Replays the counterexamples of earlier campaigns, and says which of them still fail. */
async function knownFailures(args: FuzzArguments, signal: AbortSignal): Promise<FailureFile[]> {
  const failing = args.known ? await stillFailing(args.out, { ignored: args.ignore, signal }) : [];
  const [one, are] = failing.length === 1 ? ['', 's'] : ['s', ''];
  if (failing.length > 0)
    process.stderr.write(
      `sim: ${failing.length} counterexample${one} of ${args.out} still fail${are}; searching for others\n`,
    );
  return failing.map(({ file }) => file);
}

/** Shows progress as it is due, and logs it. */
function progressOf(args: FuzzArguments, plan: FuzzPlan, finds: FindFolder) {
  const nowMs = () => performance.now();
  const view = new ProgressView(plan.timeBudgetMs, nowMs);
  const csv = args.csv === undefined ? null : new ProgressCsv(args.csv, nowMs);
  return {
    show: (shown: () => Shown) => {
      if (csv === null && !view.isDue) return;
      const now = shown();
      csv?.add(now, finds.size);
      if (view.isDue) view.show(now);
    },
    clear: () => view.clear(),
    end: () => {
      view.clear();
      csv?.end();
    },
  };
}

async function search(args: FuzzArguments, argv: readonly string[], interrupts: Interrupts): Promise<void> {
  const { signal } = interrupts;
  const plan = planOf(args);
  const report = openReport(args.report);
  const earlier = args.resume === undefined ? [] : readCampaign(args.resume, args);
  const finds = new FindFolder(args.out);
  for (const file of findsIn(earlier)) finds.know(file);
  const progress = progressOf(args, plan, finds);
  const known = await knownFailures(args, signal);
  const with_ = { signal, known, finds, earlier, ...progress };
  const parts = await (
    plan.workers === 1 ? playHere(plan, args, with_) : playBeside(plan, argv, with_)
  ).catch((error: unknown) => {
    throw error instanceof RangeError || error instanceof InvalidOptions
      ? new UsageError(error.message)
      : error;
  });
  progress.end();
  const summary = wholeOf(parts);
  if (args.resume !== undefined) writeCampaign(args.resume, args, parts);
  if (args.corpus !== undefined) writeCorpus(args.corpus, summary.corpus);
  await finds.written();
  report?.write(summary);
  const text = args.json ? resultJson : summaryText;
  process.stdout.write(text(summary, finds.kept, interrupts.received));
  if (summary.found !== null || known.length > 0) process.exitCode = EXIT.failed;
  else if (interrupts.exitCode !== null) process.exitCode = interrupts.exitCode;
}

/**
 * Searches for counterexamples. Sets exit code 1 if one is found or an earlier one still fails, else the code of an interrupting signal.
 * `argv` is the command line, for workers.
 */
export async function fuzz(args: FuzzArguments, argv: readonly string[]): Promise<void> {
  if (args.list) list();
  else await Interrupts.during((interrupts) => search(args, argv, interrupts));
}
