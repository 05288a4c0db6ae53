import { existsSync } from 'node:fs';
import type { JobContext, JobTable } from '../../testing/jobs/job-runner.js';
import { loadFile } from '../../testing/scenario/file/load.js';
import type { PlayOptions } from '../../testing/scenario/play/play-options.js';
import { playScenario } from '../../testing/scenario/play/play.js';
import type { Scenario } from '../../testing/scenario/scenario.js';
import { playOptionsOf } from './arguments.js';
import type { RunArguments } from './flags.js';
import { withUnhandledErrors } from './unhandled-errors.js';
import { SCENARIO, type ScenarioJob, type ScenarioJobResult, fileDigest } from './scenario-job.js';

/** The loaded scenarios by id, and how to play them. */
interface LoadedSuite {
  readonly key: string;
  readonly scenarios: Map<string, Scenario>;
  readonly options: PlayOptions;
}

export function loadedSuite(key: string, scenarios: readonly Scenario[], options: PlayOptions): LoadedSuite {
  return { key, scenarios: new Map(scenarios.map((scenario) => [scenario.id, scenario])), options };
}

/** The jobs of scenarios. They load their files from disk unless the suite is given. */
export function scenarioJobs(given: LoadedSuite | null = null): JobTable {
  let suite = given;
  const play = async (data: unknown, context: JobContext): Promise<ScenarioJobResult['result']> => {
    const { suite: key, scenario: id, file, digest } = data as ScenarioJob;
    if (digest !== undefined && (!existsSync(file) || fileDigest(file) !== digest))
      throw new Error(`${file} is missing or different in ${process.cwd()} of this worker`);
    if (suite?.key !== key)
      suite = loadedSuite(key, [], await playOptionsOf((await context.shared(key)) as RunArguments));
    const { scenarios, options } = suite;
    if (!scenarios.has(id))
      for (const loaded of await loadFile(file, process.cwd())) scenarios.set(loaded.id, loaded);
    const scenario = scenarios.get(id);
    if (scenario === undefined) throw new Error(`${id} no longer exists`);
    context.begin();
    const result = await playScenario(scenario, { ...options, signal: context.signal });
    // It was not played to its end.
    const isInterrupted = context.signal.aborted && result.verdict === 'skipped';
    return isInterrupted ? { interrupted: result.reason ?? '' } : result;
  };
  return {
    [SCENARIO]: async (data, context): Promise<ScenarioJobResult> => {
      const mishaps: string[] = [];
      const work = () => play(data, context);
      // The process of `sim run` is guarded for the whole run.
      const isGuarded = given !== null;
      const result = await (isGuarded ? work() : withUnhandledErrors(work, (text) => mishaps.push(text)));
      return { result, mishaps };
    },
  };
}
