import { playScenario } from '../../testing/scenario/play/play.js';
import { type SuiteResult, tally } from '../../testing/scenario/results.js';
import { type PlayOne, runSuite, withRetries } from '../../testing/scenario/run.js';
import type { Scenario } from '../../testing/scenario/scenario.js';
import { parseShard, shardOf } from '../../testing/scenario/shards.js';
import { Interrupts, untilAborted } from '../interrupts.js';
import { EXIT, UsageError } from '../usage.js';
import { type RunArguments, playOptionsOf, scenariosOf } from './arguments.js';
import { withUnhandledErrors } from './unhandled-errors.js';
import { checkDurations, readDurations, writeDurations } from './durations.js';
import { openReports } from './sinks.js';
import { changes } from './watch.js';
import { KeptWorlds } from './kept-worlds.js';
import { WorkerPool } from './worker-pool.js';

const MAX_WORKERS = 64;
/** About three weeks: the maximum of Node's timers. */
const LONGEST_SECONDS = 2_000_000;

function wholeNumber(option: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new UsageError(`${option} must be a whole number from ${min} to ${max}`);
}

function bailOf({ bail }: RunArguments): number | null {
  if (bail === undefined || bail === false) return null;
  return bail === true ? 1 : wholeNumber('--bail', bail, 1, 1e6);
}

/** Selects the scenarios of this shard. */
function sharded(args: RunArguments, scenarios: readonly Scenario[]): readonly Scenario[] {
  if (args.shard === undefined) return scenarios;
  const shard = parseShard(args.shard);
  if (shard === null) throw new UsageError(`--shard ${args.shard}: expected index/count, such as 1/3`);
  return shardOf(scenarios, shard, args.durations === undefined ? {} : readDurations(args.durations));
}

function list(scenarios: readonly Scenario[]): void {
  for (const { id, line, name, tags } of scenarios)
    process.stdout.write(`${id}:${line}  ${name}${tags.map((tag) => `  #${tag}`).join('')}\n`);
}

/** Functions that play a scenario, here or in workers, and release the workers. */
async function players(
  args: RunArguments,
  argv: readonly string[],
  kept: KeptWorlds | null,
): Promise<{ play: PlayOne; close: () => void; targetName: SuiteResult['target'] }> {
  const options = await playOptionsOf(args, kept);
  const targetName = options.target.name;
  if (args.workers === 1)
    return { play: (scenario) => playScenario(scenario, options), close: () => undefined, targetName };
  const pool = new WorkerPool(argv, args.engine, args.timeout * 1_000);
  await pool.warm(args.workers);
  return { play: (scenario) => pool.play(scenario), close: () => pool.close(), targetName };
}

async function once(
  args: RunArguments,
  argv: readonly string[],
  { signal, kept = null }: { signal: AbortSignal; kept?: KeptWorlds | null },
): Promise<SuiteResult> {
  const scenarios = sharded(args, await scenariosOf(args));
  if (args.durations !== undefined) checkDurations(args.durations);
  const { workers, shard = null, engine } = args;
  const { play, close, targetName } = await players(args, argv, kept);
  const reports = openReports(args.reporter.length === 0 ? ['pretty'] : args.reporter);
  try {
    const suite = await runSuite(scenarios, {
      plan: { target: targetName, engine, workers, shard },
      play: withRetries(play, wholeNumber('--retries', args.retries, 0, 100), signal),
      bail: bailOf(args),
      reporters: reports.reporters,
      signal,
    });
    if (args.durations !== undefined && shard === null)
      writeDurations(args.durations, readDurations(args.durations), suite.results);
    return suite;
  } finally {
    close();
    reports.close();
  }
}

/** Reruns the suite whenever a file changes, until stopped. */
async function watching(args: RunArguments, argv: readonly string[]): Promise<void> {
  const files = (await scenariosOf(args)).map(({ file }) => file);
  const stopped = new AbortController();
  process.once('SIGINT', () => stopped.abort());
  for await (const _change of changes(files, stopped.signal)) {
    // A temporarily broken file does not end watching.
    await once(args, argv, stopped).catch((error: Error) => process.stderr.write(`sim: ${error.message}\n`));
    process.stderr.write('Waiting for file changes; stop with Ctrl-C.\n');
  }
}

/** Serves the worlds of failed scenarios until `signal` is aborted. */
async function inspected(kept: KeptWorlds | null, signal: AbortSignal): Promise<void> {
  if (kept === null || kept.count === 0) return;
  process.stderr.write(
    'The worlds of failed scenarios can be inspected at the addresses above; stop with Ctrl-C.\n',
  );
  await untilAborted(signal);
  await kept.close();
}

/** Plays scenarios. Sets exit code 1 if one failed, else the code of an interrupting signal. `argv` is for workers. */
export async function run(args: RunArguments, argv: readonly string[]): Promise<void> {
  wholeNumber('--workers', args.workers, 1, MAX_WORKERS);
  if (typeof args.timeout !== 'number' || !(args.timeout > 0 && args.timeout <= LONGEST_SECONDS))
    throw new UsageError(`--timeout must be a number of seconds up to ${LONGEST_SECONDS}`);
  const kept = args.inspect ? new KeptWorlds(args) : null;
  if (args.list) list(sharded(args, await scenariosOf(args)));
  else if (args.watch) await watching(args, argv);
  else
    await Interrupts.during(async (interrupts) => {
      const { result, mishaps } = await withUnhandledErrors(
        () => once(args, argv, { signal: interrupts.signal, kept }),
        () => interrupts.isForced,
      );
      const { passed, failed, skipped } = tally(result.results);
      const isEmpty = passed + failed === 0 && skipped > 0;
      if (isEmpty) process.stderr.write('sim: nothing was played: every scenario was skipped\n');
      if (failed > 0 || mishaps > 0 || isEmpty) process.exitCode = EXIT.failed;
      else if (interrupts.exitCode !== null) process.exitCode = interrupts.exitCode;
      await inspected(kept, interrupts.signal);
    });
}
