import {
  COMMANDS,
  type FailureFile,
  PROPERTIES,
  type Progress,
  type Summary,
  findsOf,
  missedGoals,
} from '../../testing/fuzz-library.js';
import { InvalidOptions } from '../../runtime/config.js';
import { merged } from '../../testing/fuzz/campaign/merge-summaries.js';
import { InlineCampaigns, campaignBy } from '../../testing/fuzz-campaign.js';
import { ProcessRunner } from '../../testing/jobs/process-runner.js';
import { Interrupts } from '../interrupts.js';
import { JOB_PROGRAM } from '../jobs.js';
import { EXIT, UsageError } from '../usage.js';
import { readCorpus, writeCorpus } from './corpus-files.js';
import { type CampaignParts, readCampaign, writeCampaign } from './campaign-file.js';
import { failureText, stillFailing } from './failures.js';
import { FindFolder, type Kept } from './find-folder.js';
import { type FuzzArguments, type FuzzPlan, planOf } from './options.js';
import { ProgressCsv } from './progress-csv.js';
import { ProgressView, type Shown, approachTexts, counted, shownOf } from './progress.js';
import { openReport } from './report.js';

/** The signal that ended a campaign, and the file from which it can go on. */
interface Ending {
  readonly interrupted: string | null;
  readonly resume: string | undefined;
}

/** The result for people. */
function summaryText(summary: Summary, kept: Kept, { interrupted, resume }: Ending): string {
  const { runs, steps, seconds, coverage, goals, approaches, repeats, crashed } = summary;
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
  for (const { what, property, seed, first, end, reason } of crashed)
    lines.push(
      `Not finished: ${what} runs ${first} to ${end - 1} of --property ${property} --seed ${seed}: ${reason} each time.`,
    );
  for (const file of findsOf(summary)) {
    const paths = kept.get(file.name) ?? [];
    lines.push('', failureText(file), ...paths.map((path) => `  ${path}`));
    if (paths.length > 0 && paths.every((path) => !path.endsWith('.yaml')))
      lines.push('  No scenario: it would not fail.');
    if (file.unrepeatable !== true && paths[0] !== undefined)
      lines.push(`  Replay it: sim replay ${paths[0]}`);
  }
  if (interrupted !== null)
    lines.push(
      resume === undefined
        ? 'With --resume FILE, a campaign that is interrupted can go on.'
        : 'The same command goes on from here.',
    );
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
  return parts.filter(isPart).flatMap(findsOf);
}

/** What plays the chunks of campaigns: this process, which shows each sequence, or several. */
function playersOf({ workers }: FuzzPlan, show: (progress: Progress) => void) {
  if (workers === 1) return new InlineCampaigns({}, show);
  const runner = new ProcessRunner({ ...JOB_PROGRAM, count: workers });
  return { runner, onState: () => undefined, close: () => runner.close() };
}

/** Runs the campaigns of a plan, one after another. */
async function play(
  plan: FuzzPlan,
  args: FuzzArguments,
  { signal, known, finds, earlier, show, clear }: Search,
): Promise<CampaignParts> {
  const names = plan.campaigns.map(({ property = '' }) => property);
  let playing = 0;
  const players = playersOf(plan, (progress) => show(() => shownOf(names[playing] ?? '', progress)));
  const { runner } = players;
  const stop = () => runner.stop();
  signal.addEventListener('abort', stop);
  try {
    const parts: (Summary | null)[] = [];
    let corpus = args.corpus === undefined ? [] : readCorpus(args.corpus);
    for (const [at, input] of plan.campaigns.entries()) {
      const { maxFinds = 1 } = input;
      playing = at;
      const before = earlier[at] ?? null;
      if (signal.aborted || finds.size >= maxFinds) {
        parts.push(before);
        continue;
      }
      const summary = await campaignBy(
        { runner, key: names[at] ?? '' },
        {
          ...input,
          maxFinds: maxFinds - finds.size + (before === null ? 0 : findsOf(before).length),
          corpus,
          known: [...known, ...findsIn(parts)],
          ...(before === null ? {} : { earlier: before }),
          signal,
          onFound: ({ text }) => {
            clear();
            process.stderr.write(`sim: found a failure (${text.slice(0, 200)}); shrinking it\n`);
          },
          onKept: (file) => {
            finds.add(file);
            return finds.written();
          },
        },
        {
          onState: (state, isOver) => {
            players.onState(state, isOver);
            show(() => shownOf(names[at] ?? '', state.progress({ runs: 0, steps: 0 })));
          },
        },
      );
      parts.push(summary);
      corpus = [...summary.corpus];
    }
    return parts;
  } finally {
    signal.removeEventListener('abort', stop);
    await players.close();
  }
}

/** What is wrong with the arguments, when it shows only as they are used. */
function usageError(error: unknown): unknown {
  const isUsage = error instanceof Error && ['RangeError', InvalidOptions.name].includes(error.name);
  return isUsage ? new UsageError(error.message) : error;
}

/** The result as JSON: without the corpus, and with the missed goals. */
function resultJson(summary: Summary, kept: Kept, { interrupted }: Ending): string {
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

async function search(args: FuzzArguments, interrupts: Interrupts): Promise<void> {
  const { signal } = interrupts;
  const plan = planOf(args);
  const report = openReport(args.report);
  const earlier = args.resume === undefined ? [] : readCampaign(args.resume, args);
  const finds = new FindFolder(args.out);
  for (const file of findsIn(earlier)) finds.know(file);
  const progress = progressOf(args, plan, finds);
  const known = await knownFailures(args, signal);
  const parts = await play(plan, args, { signal, known, finds, earlier, ...progress }).catch(
    (error: unknown) => {
      throw usageError(error);
    },
  );
  progress.end();
  const summary = merged(parts.filter(isPart));
  if (args.resume !== undefined) writeCampaign(args.resume, args, parts);
  if (args.corpus !== undefined) writeCorpus(args.corpus, summary.corpus);
  await finds.written();
  report?.write(summary);
  const text = args.json ? resultJson : summaryText;
  process.stdout.write(text(summary, finds.kept, { interrupted: interrupts.received, resume: args.resume }));
  if (summary.found !== null || summary.crashed.length > 0 || known.length > 0)
    process.exitCode = EXIT.failed;
  else if (interrupts.exitCode !== null) process.exitCode = interrupts.exitCode;
}

/**
 * Searches for counterexamples. Sets exit code 1 if one is found, an earlier one still fails or a part could not be played, else the code of
 * an interrupting signal.
 */
export async function fuzz(args: FuzzArguments): Promise<void> {
  if (args.list) list();
  else await Interrupts.during((interrupts) => search(args, interrupts));
}
