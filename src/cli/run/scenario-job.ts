import { createHash } from 'node:crypto';
import { defined } from '../../core/json.js';
import { MAX_TEXT_BYTES, readUserFile } from '../../core/user-file.js';
import type { Job, JobOutcome, JobRunner } from '../../testing/jobs/job-runner.js';
import { type PlayOptions, unplayed } from '../../testing/scenario/play/play-options.js';
import type { ScenarioResult } from '../../testing/scenario/results.js';
import type { PlayOne } from '../../testing/scenario/run.js';
import type { Scenario } from '../../testing/scenario/scenario.js';
import type { RunArguments } from './flags.js';

export const SCENARIO = 'scenario';
/** Milliseconds that a process can take beyond the time limit of its scenario. */
const GRACE_MS = 5_000;
/** Milliseconds for a process after an interrupt, within which a scenario that awaits something is left. */
const STOP_MS = 1_000;

/** The argument of a job that plays a scenario. */
export interface ScenarioJob {
  /** Key of the shared arguments of `sim run`, from which workers load the same scenarios. */
  readonly suite: string;
  readonly scenario: string;
  /** Its file and, if the worker's disk can have another version, a digest of the file. */
  readonly file: string;
  readonly digest?: string;
}

/** The result of such a job: of the scenario, or where an interrupt ended it, and the unhandled errors of its script. */
export interface ScenarioJobResult {
  readonly result: ScenarioResult | { readonly interrupted: string };
  readonly mishaps: readonly string[];
}

export function fileDigest(file: string): string {
  return createHash('sha256').update(readUserFile(file, MAX_TEXT_BYTES)).digest('hex');
}

/** How the jobs of a run are played and reported. */
interface Playing {
  /** Key of the arguments of `sim run` among the shared values of jobs. */
  readonly suite: string;
  /** Digests of the files of the scenarios, for workers with their own disk; otherwise empty. */
  readonly digests: ReadonlyMap<string, string>;
  readonly options: PlayOptions;
  /** By the id of a scenario that an interrupt has ended, where it was; filled in. */
  readonly interruptedAt: Map<string, string>;
  /** Called with each unhandled error of a script. */
  readonly onMishap: (text: string) => void;
}

/** Plays scenarios as jobs of a runner. A scenario that ends its process has failed. */
export async function playerBy(
  runner: JobRunner,
  args: RunArguments,
  { suite, digests, options, interruptedAt, onMishap }: Playing,
): Promise<PlayOne> {
  await runner.share(suite, args);
  const timeoutMs = args.timeout * 1_000 + GRACE_MS;
  const tries = new Map<string, number>();
  return async (scenario) => {
    const { id, file } = scenario;
    const number = (tries.get(id) ?? 0) + 1;
    tries.set(id, number);
    const digest = digests.get(file);
    const data: ScenarioJob = defined({ suite, scenario: id, file, digest });
    const limits = { attempts: 1, timeoutMs, stopMs: STOP_MS };
    const job: Job = { id: `${suite}-${id}-${number}`, name: SCENARIO, data, ...limits };
    const outcome = await runner.run(job);
    if (outcome.kind === 'withdrawn') return null;
    if (outcome.kind !== 'done') return failed(scenario, outcome, options);
    const { result, mishaps } = outcome.result as ScenarioJobResult;
    for (const mishap of mishaps) onMishap(mishap);
    if (!('interrupted' in result)) return result;
    interruptedAt.set(id, result.interrupted);
    return null;
  };
}

/** The result of a scenario whose job has failed. */
function failed(
  scenario: Scenario,
  outcome: Extract<JobOutcome, { kind: 'failed' | 'crashed' }>,
  options: PlayOptions,
): ScenarioResult {
  const result = unplayed(scenario, options);
  const isLate = outcome.kind === 'crashed' && outcome.isLate === true;
  const why = outcome.kind === 'failed' ? outcome.error.message : outcome.reason;
  const seconds = options.timeoutMs / 1_000;
  return {
    ...result,
    verdict: 'failed',
    reason: isLate
      ? `not finished within ${seconds} s; its process did not respond and was ended; increase the limit with --timeout`
      : `it could not be played: ${why}`,
    ms: isLate ? options.timeoutMs : 0,
    steps: [],
    rerun: options.rerun(scenario, result.seed),
  };
}
