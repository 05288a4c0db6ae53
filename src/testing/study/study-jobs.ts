import { existsSync } from 'node:fs';
import type { JobTable } from '../jobs/job-runner.js';
import { NO_MODULE, type StudyModule, loadModule, moduleDigest } from './module.js';
import { type StudyPlan, runOf } from './plan.js';
import { playRun } from './play/play-run.js';
import { STUDY_RUN, type StudyJob } from './study-job.js';

/** Called after each tick of a run in this process, with the number of actions so far. */
export type TickListener = (tick: number, actions: number) => void;

/** The module of a plan from this machine's disk. Rejects if it is missing or differs. */
export async function moduleOf({ module }: StudyPlan): Promise<StudyModule> {
  if (module === null) return NO_MODULE;
  const { path, sha256 } = module;
  if (!existsSync(path) || moduleDigest(path) !== sha256)
    throw new Error(`${path} is missing or different in ${process.cwd()} of this worker`);
  return loadModule(path);
}

export function studyJobs(onTick?: TickListener): JobTable {
  let loaded: { key: string; plan: StudyPlan; module: StudyModule } | null = null;
  return {
    [STUDY_RUN]: async (data, context) => {
      const { study: key, run } = data as StudyJob;
      if (loaded?.key !== key) {
        const plan = (await context.shared(key)) as StudyPlan;
        loaded = { key, plan, module: await moduleOf(plan) };
      }
      const { plan, module } = loaded;
      context.begin();
      return playRun(plan, runOf(plan, run), {
        module,
        onTick: (tick, _sim, actions) => onTick?.(tick, actions),
      });
    },
  };
}
