import { createHash } from 'node:crypto';
import { defined } from '../../core/json.js';
import { MAX_TEXT_BYTES, readUserFile } from '../../core/user-file.js';
import type { Job, JobOutcome, JobRunner } from '../../testing/jobs/job-runner.js';
import type { ScenarioResult } from '../../testing/scenario/results.js';
import type { PlayOne } from '../../testing/scenario/run.js';
import { type Scenario, aboutOf } from '../../testing/scenario/scenario.js';
import type { RunArguments } from './flags.js';

export const SCENARIO = 'scenario';
/** Milliseconds that a process can take beyond the time limit of its scenario. */
const GRACE_MS = 5_000;

/** The argument of a job that plays a scenario. */
export interface ScenarioJob {
  /** Key of the shared arguments of `sim run`, from which workers load the same scenarios. */
  readonly suite: string;
  readonly scenario: string;
  /** Its file and, if the worker's disk can have another version, a digest of the file. */
  readonly file: string;
  readonly digest?: string;
}

export function fileDigest(file: string): string {
  return createHash('sha256').update(readUserFile(file, MAX_TEXT_BYTES)).digest('hex');
}

/** The digests of files of scenarios. */
export type Digests = ReadonlyMap<string, string>;

export function digestsOf(scenarios: readonly Scenario[]): Digests {
  return new Map(scenarios.map(({ file }) => [file, fileDigest(file)]));
}

/** Key of the arguments of `sim run` among the shared values of jobs. */
export const SUITE = 'suite';

/** Plays scenarios as jobs of a runner. A scenario that ends its process has failed. `digests` are for workers with their own disk. */
export async function playerBy(
  runner: JobRunner,
  args: RunArguments,
  { suite = SUITE, digests = null }: { suite?: string; digests?: Digests | null } = {},
): Promise<PlayOne> {
  await runner.share(suite, args);
  const timeoutMs = args.timeout * 1_000 + GRACE_MS;
  const tries = new Map<string, number>();
  return async (scenario) => {
    const { id, file } = scenario;
    const number = (tries.get(id) ?? 0) + 1;
    tries.set(id, number);
    const digest = digests?.get(file);
    const data: ScenarioJob = defined({ suite, scenario: id, file, digest });
    const job: Job = { id: `${suite}-${id}-${number}`, name: SCENARIO, data, attempts: 1, timeoutMs };
    const outcome = await runner.run(job);
    return outcome.kind === 'withdrawn' ? null : resultOf(scenario, outcome, args.engine);
  };
}

/** The result of a scenario from its job's result; null if it was not played to its end. */
function resultOf(
  scenario: Scenario,
  outcome: Exclude<JobOutcome, { kind: 'withdrawn' }>,
  engine: string,
): ScenarioResult | null {
  if (outcome.kind === 'done') return outcome.result as ScenarioResult | null;
  const reason = outcome.kind === 'failed' ? outcome.error.message : outcome.reason;
  return {
    ...aboutOf(scenario),
    verdict: 'failed',
    reason: `it could not be played: ${reason}`,
    target: 'in-process',
    engine,
    seed: '',
    firstFailure: null,
    ms: 0,
    steps: [],
    rerun: `npx sim run ${scenario.id}`,
    inspector: null,
    property: null,
  };
}
