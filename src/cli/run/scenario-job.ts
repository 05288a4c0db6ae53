import type { Job, JobOutcome, JobRunner } from '../../testing/jobs/job-runner.js';
import type { ScenarioResult } from '../../testing/scenario/results.js';
import type { PlayOne } from '../../testing/scenario/run.js';
import { type Scenario, aboutOf } from '../../testing/scenario/scenario.js';
import type { RunArguments } from './arguments.js';

/** Name of the job that plays a scenario. */
export const SCENARIO = 'scenario';
/** How much longer than a scenario's limit its process may take. */
const GRACE_MS = 5_000;

/** The argument of a job that plays a scenario. */
export interface ScenarioJob {
  /** Key of the arguments of `sim run`, from which workers load the same scenarios. */
  readonly suite: string;
  readonly scenario: string;
}

/** Key of the arguments of `sim run` among what jobs share. */
export const SUITE = 'suite';

/** Plays scenarios as jobs of a runner. A scenario that ends its process has failed. */
export async function playerBy(runner: JobRunner, args: RunArguments): Promise<PlayOne> {
  await runner.share(SUITE, args);
  const timeoutMs = args.timeout * 1_000 + GRACE_MS;
  let number = 0;
  return async (scenario) => {
    number += 1;
    const data: ScenarioJob = { suite: SUITE, scenario: scenario.id };
    const job: Job = { id: `${SUITE}-${number}`, name: SCENARIO, data, attempts: 1, timeoutMs };
    return resultOf(scenario, await runner.run(job), args.engine);
  };
}

/** The result of a scenario from that of its job. */
function resultOf(scenario: Scenario, outcome: JobOutcome, engine: string): ScenarioResult {
  if (outcome.kind === 'done') return outcome.result as ScenarioResult;
  const reason =
    outcome.kind === 'failed'
      ? outcome.error.message
      : outcome.kind === 'crashed'
        ? outcome.reason
        : 'the run was stopped';
  return {
    ...aboutOf(scenario),
    verdict: 'failed',
    reason: `it could not be played: ${reason}`,
    target: 'in-process',
    engine,
    seed: '',
    ms: 0,
    steps: [],
    rerun: `sim run ${scenario.id}`,
    property: null,
  };
}
