import { existsSync } from 'node:fs';
import type { JobTable } from '../../testing/jobs/job-runner.js';
import type { PlayOptions } from '../../testing/scenario/play/play-options.js';
import { playScenario } from '../../testing/scenario/play/play.js';
import type { Scenario } from '../../testing/scenario/scenario.js';
import { type RunArguments, playOptionsOf, scenariosOf } from './arguments.js';
import { SCENARIO, type ScenarioJob, fileDigest } from './scenario-job.js';

/** Scenarios by their ids, and how they are played. */
interface LoadedSuite {
  readonly key: string;
  readonly scenarios: ReadonlyMap<string, Scenario>;
  readonly options: PlayOptions;
}

/** A suite that is ready to be played. */
export function loadedSuite(key: string, scenarios: readonly Scenario[], options: PlayOptions): LoadedSuite {
  return { key, scenarios: new Map(scenarios.map((scenario) => [scenario.id, scenario])), options };
}

/** The jobs of scenarios. They load the scenarios of a suite from the disk, unless it is given. */
export function scenarioJobs(given: LoadedSuite | null = null): JobTable {
  let suite = given;
  return {
    [SCENARIO]: async (data, context) => {
      const { suite: key, scenario: id, file, digest } = data as ScenarioJob;
      if (digest !== undefined && (!existsSync(file) || fileDigest(file) !== digest))
        throw new Error(`${file} is missing or another in ${process.cwd()} of this worker`);
      if (suite?.key !== key) {
        const args = (await context.shared(key)) as RunArguments;
        suite = loadedSuite(key, await scenariosOf(args), await playOptionsOf(args));
      }
      const scenario = suite.scenarios.get(id);
      if (scenario === undefined) throw new Error(`${id} no longer exists`);
      context.begin();
      return playScenario(scenario, suite.options);
    },
  };
}
