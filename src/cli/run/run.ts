import { counted } from '../../core/counted.js';
import { InlineRunner } from '../../testing/jobs/inline-runner.js';
import { type SuiteResult, everyStep, tally } from '../../testing/scenario/results.js';
import { parseShard, runSuite, shardOf, withRetries } from '../../testing/scenario/run.js';
import type { Scenario } from '../../testing/scenario/scenario.js';
import { interruptible, untilAborted } from '../interrupts.js';
import { checkWorkers, withRunner } from '../jobs.js';
import { EXIT, UsageError, wholeNumber } from '../usage.js';
import { isDetailed, playOptionsOf, scenariosOf } from './arguments.js';
import type { RunArguments } from './flags.js';
import { withUnhandledErrors } from './unhandled-errors.js';
import { openReports } from './sinks.js';
import { KeptWorlds } from './kept-worlds.js';
import { progressCount } from '../progress.js';
import { withProgress } from './progress.js';
import { fileDigest, playerBy } from './scenario-job.js';
import { loadedSuite, scenarioJobs } from './scenario-jobs.js';

/** About three weeks; within the maximum of Node's timers. */
const LONGEST_SECONDS = 2_000_000;

function bailOf({ bail }: RunArguments): number | null {
  return bail === undefined ? null : wholeNumber('--bail', bail, 1, 1e6);
}

function sharded(args: RunArguments, scenarios: readonly Scenario[]): readonly Scenario[] {
  if (args.shard === undefined) return scenarios;
  const shard = parseShard(args.shard);
  if (shard === null) throw new UsageError(`--shard ${args.shard}: expected index/count, such as 1/3`);
  const mine = shardOf(scenarios, shard);
  if (mine.length === 0)
    process.stderr.write(`sim: shard ${args.shard} has none of ${counted(scenarios.length, 'scenario')}\n`);
  return mine;
}

function list(scenarios: readonly Scenario[]): void {
  for (const { id, line, name, tags } of scenarios)
    process.stdout.write(`${id}:${line}  ${name}${tags.map((tag) => `  #${tag}`).join('')}\n`);
}

/** The scenarios of a run as a campaign on a queue. */
function taskOf(args: RunArguments, scenarios: readonly Scenario[], digests: ReadonlyMap<string, string>) {
  const { paths, target, engine, seed, tag, grep, timeout, shard } = args;
  const options = [paths, target, engine, seed, tag, grep, timeout, shard, isDetailed(args)];
  const identity = [...options, [...digests]];
  return { kind: 'scenarios', unit: 'scenarios', total: scenarios.length, identity } as const;
}

/** The result of a run, and the reason if it ended early. */
interface Played {
  readonly suite: SuiteResult;
  readonly interrupted: 'cancelled' | 'signal' | null;
}

async function once(
  args: RunArguments,
  {
    signal: interrupted,
    kept,
    onMishap,
  }: { signal: AbortSignal; kept: KeptWorlds | null; onMishap: (text: string) => void },
): Promise<Played> {
  const scenarios = sharded(args, await scenariosOf(args));
  const options = await playOptionsOf(args, kept);
  const { queue: address, ...shared } = args;
  // The workers of a queue read the scenarios from their own disks, where they must be identical.
  const digested = address === undefined ? [] : scenarios;
  const digests = new Map(digested.map(({ file }) => [file, fileDigest(file)]));
  const jobs = {
    signal: interrupted,
    task: () => taskOf(args, scenarios, digests),
    inline: () => new InlineRunner(scenarioJobs(loadedSuite('suite', scenarios, options))),
  };
  return withRunner(args, jobs, async ({ runner, queue, signal }) => {
    const suite = queue === null ? 'suite' : `${queue.key}/suite`;
    const interruptedAt = new Map<string, string>();
    const playing = { suite, digests, options, interruptedAt, onMishap };
    const retries = wholeNumber('--retries', args.retries, 0, 100);
    const play = withRetries(await playerBy(runner, shared, playing), retries, signal);
    const count = progressCount(scenarios.length, 'scenarios', 'steps');
    const reports = openReports(args.reporter.length === 0 ? ['pretty'] : args.reporter);
    try {
      const { reporters } = reports;
      const view = { report: count.report, isJson: args.reporter.includes('json') };
      const isShown = queue !== null || (process.stderr.isTTY && !view.isJson);
      const result = await runSuite(scenarios, {
        plan: {
          target: options.target.name,
          engine: args.baseUrl === undefined ? args.engine : null,
          workers: args.workers,
          shard: args.shard ?? null,
        },
        play: async (scenario) => {
          const played = await play(scenario);
          if (played !== null) count.add(everyStep(played.steps).length, played.verdict === 'failed');
          await queue?.report(count.report);
          return played;
        },
        parallel: () => queue?.window ?? args.workers,
        bail: bailOf(args),
        reporters: isShown ? withProgress(reporters, view) : reporters,
        signal,
        interruptedAt,
      });
      const isComplete = !signal.aborted || result.results.length === scenarios.length;
      await queue?.end(isComplete ? 'finished' : 'interrupted', count.report());
      const isCancelled = queue?.cancelled.signal.aborted === true;
      return { suite: result, interrupted: isComplete ? null : isCancelled ? 'cancelled' : 'signal' };
    } finally {
      reports.close();
    }
  });
}

/** Serves the worlds of failed scenarios until `signal` is aborted. */
async function inspected(kept: KeptWorlds | null, signal: AbortSignal): Promise<void> {
  if (kept === null || kept.count === 0) return;
  process.stderr.write('Inspect the worlds of failed scenarios at the addresses above. Stop with Ctrl-C.\n');
  await untilAborted(signal);
  await kept.close();
}

/** Throws UsageError for options that a queue does not support. Secret keys must never reach a queue. */
function checkQueued({ workers, inspect, baseUrl }: RunArguments): void {
  if (inspect || workers !== 1)
    throw new UsageError('--queue: start workers with sim worker; leave out --workers and --inspect');
  if (baseUrl !== undefined)
    throw new UsageError('--queue: each scenario runs in a fresh world; leave out --base-url');
}

/** Plays scenarios. Sets exit code 1 if a scenario failed, otherwise the code of an interrupting signal. */
export async function run(args: RunArguments): Promise<void> {
  checkWorkers({ workers: args.workers });
  if (typeof args.timeout !== 'number' || !(args.timeout > 0 && args.timeout <= LONGEST_SECONDS))
    throw new UsageError(`--timeout must be a number of seconds up to ${LONGEST_SECONDS}`);
  if (args.queue !== undefined) checkQueued(args);
  const kept = args.inspect ? new KeptWorlds(args) : null;
  if (args.list) list(sharded(args, await scenariosOf(args)));
  else
    await interruptible(async (interrupts) => {
      let mishaps = 0;
      const onMishap = (text: string) => {
        mishaps += 1;
        process.stderr.write(`sim: ${text}\n`);
      };
      const play = () => once(args, { signal: interrupts.signal, kept, onMishap });
      const { suite, interrupted } = await withUnhandledErrors(play, onMishap, () => {
        if (interrupts.isForced) return;
        process.stderr.write('sim: a script ended the process before all scenarios had run\n');
        process.exitCode = EXIT.failed;
      });
      const { passed, failed, skipped } = tally(suite.results);
      const isEmpty = passed + failed === 0 && skipped > 0;
      if (isEmpty) process.stderr.write('sim: no scenario was played: all were skipped\n');
      // A shard without a scenario that can be played is like an empty one.
      const isInVain = isEmpty && args.shard === undefined;
      if (interrupted === 'cancelled') process.stderr.write('sim: cancelled by sim campaign cancel\n');
      else if (interrupted !== null && args.queue !== undefined)
        process.stderr.write('sim: run the same command again to continue\n');
      if (failed > 0 || mishaps > 0 || isInVain || interrupted === 'cancelled')
        process.exitCode = EXIT.failed;
      else if (interrupts.exitCode !== null) process.exitCode = interrupts.exitCode;
      await inspected(kept, interrupts.signal);
    });
}
