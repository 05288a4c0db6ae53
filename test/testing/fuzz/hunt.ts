import { setImmediate } from 'node:timers/promises';
import {
  type FailureFile,
  type FuzzTarget,
  type Rule,
  type Summary,
  readFailure,
  writeFailure,
} from '../../../src/testing/fuzz-library.js';
import { type RefineOptions, failureOf } from '../../../src/testing/fuzz/campaign/refine.js';
import { CampaignJobs } from '../../../src/testing/fuzz/campaign/campaign-jobs.js';
import type { CampaignValue } from '../../../src/testing/fuzz/campaign/campaign-value.js';
import { type CampaignRun, runCampaign } from '../../../src/testing/fuzz/campaign/run-campaign.js';
import { InlineRunner } from '../../../src/testing/jobs/inline-runner.js';
import type { Failure } from '../../../src/testing/fuzz/play/sequence.js';
import { CHECK_SUITE } from './export-support.js';

interface Hunt extends Partial<CampaignValue>, Partial<Pick<CampaignRun, 'maxFinds' | 'known' | 'onKept'>> {
  /** Number of runs. Default: 200. */
  readonly runs?: number;
  readonly rules?: readonly Rule[];
}

/** How a find is shrunk and played again. */
export const REFINING: RefineOptions = {
  property: 'everything',
  seed: 1,
  checkSuite: CHECK_SUITE,
  world: { engine: 'litesvm', transport: 'direct', seed: 'fuzz', variants: {} },
  agents: 3,
  shrinkAttempts: 2_000,
  shrinkTimeMs: 60_000,
  software: {},
  now: () => performance.now(),
  pause: () => setImmediate(),
  isStopped: () => false,
};

/** A campaign about everything, as plain JSON. */
export const CAMPAIGN: CampaignValue = {
  property: REFINING.property,
  seed: REFINING.seed,
  world: REFINING.world,
  agents: REFINING.agents,
  shrinkAttempts: REFINING.shrinkAttempts,
  shrinkTimeMs: REFINING.shrinkTimeMs,
  first: 0,
  end: 200,
  steps: 40,
  only: [],
  weights: {},
  corpus: [],
  keepsSequences: false,
  ignored: [],
};

/** Jobs of campaigns in worlds of a test's own. */
export function campaignJobs(target: FuzzTarget, rules: readonly Rule[] = []): CampaignJobs {
  return new CampaignJobs({ ...REFINING, target, checkSuite: { ...CHECK_SUITE, rules } });
}

/** A campaign in worlds of a test's own, until the first find unless it says otherwise. */
export async function hunt(target: FuzzTarget, options: Hunt = {}): Promise<Summary> {
  const { rules = [], maxFinds = 1, known = [], runs = 200, onKept = () => undefined, ...more } = options;
  const value = { ...CAMPAIGN, end: runs, keepsSequences: more.corpus !== undefined, ...more };
  const jobs = campaignJobs(target, rules);
  const summary = await runCampaign(value, {
    key: 'hunt',
    runner: new InlineRunner(jobs.table),
    known,
    earlier: null,
    maxFinds,
    now: () => performance.now(),
    isOver: () => false,
    onState: () => undefined,
    onFound: () => undefined,
    onKept,
  });
  await jobs.close();
  return summary;
}

/** How the written file of a counterexample fails in a fresh world; null if it does not. */
export function replayedIn(target: FuzzTarget, file: FailureFile): Promise<Failure | null> {
  const { steps, world, agents } = readFailure(writeFailure(file), 'x');
  return failureOf(steps, {
    target,
    world,
    agents,
    checkSuite: CHECK_SUITE,
  });
}
