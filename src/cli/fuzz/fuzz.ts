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
import { shapeOf } from '../../testing/fuzz/campaign/finds.js';
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
    if (paths.every((path) => !path.endsWith('.yaml'))) lines.push('  No scenario: it would not fail.');
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

/** The files of each counterexample, by its name. */
type Kept = ReadonlyMap<string, readonly string[]>;

/** What a search needs besides its plan. */
interface Search {
  readonly view: ProgressView;
  readonly signal: AbortSignal;
  /** Counterexamples of earlier campaigns that still fail. */
  readonly known: readonly FailureFile[];
  readonly finds: FindFolder;
}

/** Writes counterexamples as they are found, so that they are there whatever ends the campaign. */
class FindFolder {
  readonly kept = new Map<string, readonly string[]>();
  readonly #folder: string;
  readonly #shapes = new Set<string>();
  #written: Promise<void> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Number of different counterexamples. */
  get size(): number {
    return this.#shapes.size;
  }

  /** Writes a counterexample, unless another worker has found the same. */
  add(file: FailureFile): void {
    const shape = shapeOf(file);
    if (this.#shapes.has(shape)) return;
    this.#shapes.add(shape);
    this.#written = this.#written.then(async () => {
      this.kept.set(file.name, await keepFailure(this.#folder, file));
    });
    // Reported by `written`.
    this.#written.catch(() => undefined);
  }

  /** Resolves when all are written. */
  written(): Promise<void> {
    return this.#written;
  }
}

/** Runs campaigns in this process. */
async function playHere(
  { campaigns }: FuzzPlan,
  args: FuzzArguments,
  { view, signal, known, finds }: Search,
): Promise<Summary> {
  const parts: Summary[] = [];
  let corpus = args.corpus === undefined ? [] : readCorpus(args.corpus);
  for (const input of campaigns) {
    const left = (input.maxFinds ?? 1) - finds.size;
    if (signal.aborted || left <= 0) break;
    const summary = await campaign({
      ...input,
      maxFinds: left,
      corpus,
      known: [...known, ...parts.flatMap(findsOf)],
      signal,
      onProgress: (progress) => {
        if (view.isDue) view.show(shownOf(input.property ?? '', progress));
      },
      onFound: ({ text }) => {
        view.clear();
        process.stderr.write(`sim: found a failure (${text.slice(0, 200)}); shrinking it\n`);
      },
      onKept: (file) => {
        finds.add(file);
        return finds.written();
      },
    });
    parts.push(summary);
    corpus = [...summary.corpus];
  }
  return merged(parts, 'after');
}

async function playBeside(
  plan: FuzzPlan,
  argv: readonly string[],
  { view, signal, known, finds }: Search,
): Promise<Summary> {
  const workers = new FuzzWorkers(argv, plan.workers, signal);
  try {
    const parts: Summary[] = [];
    for (const [at, { maxFinds = 1 }] of plan.campaigns.entries()) {
      if (signal.aborted || finds.size >= maxFinds) break;
      const summary = await workers.play(at, [...known, ...parts.flatMap(findsOf)], {
        show: (shown) => {
          if (view.isDue) view.show(shown);
        },
        keep: (file) => {
          finds.add(file);
          if (finds.size >= maxFinds) workers.stop();
        },
      });
      parts.push(summary);
    }
    return merged(parts, 'after');
  } finally {
    workers.close();
  }
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

async function search(args: FuzzArguments, argv: readonly string[], interrupts: Interrupts): Promise<void> {
  const { signal } = interrupts;
  const plan = planOf(args);
  const report = openReport(args.report);
  const known = await knownFailures(args, signal);
  const view = new ProgressView(plan.timeBudgetMs, () => performance.now());
  const finds = new FindFolder(args.out);
  const with_ = { view, signal, known, finds };
  const summary = await (
    plan.workers === 1 ? playHere(plan, args, with_) : playBeside(plan, argv, with_)
  ).catch((error: unknown) => {
    throw error instanceof RangeError || error instanceof InvalidOptions
      ? new UsageError(error.message)
      : error;
  });
  view.clear();
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
