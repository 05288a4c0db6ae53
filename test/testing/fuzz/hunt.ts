import {
  type FailureFile,
  type FuzzTarget,
  type Rule,
  type Summary,
  readFailure,
  writeFailure,
} from '../../../src/testing/fuzz-library.js';
import type { RefineOptions } from '../../../src/testing/fuzz/campaign/refine.js';
import { CampaignJobs } from '../../../src/testing/fuzz/campaign/campaign-jobs.js';
import type { CampaignValue } from '../../../src/testing/fuzz/campaign/campaign-value.js';
import { type CampaignRun, runCampaign } from '../../../src/testing/fuzz/campaign/run-campaign.js';
import { InlineRunner } from '../../../src/testing/jobs/inline-runner.js';
import type { Failure } from '../../../src/testing/fuzz/play/sequences.js';
import { campaignValue } from '../../../src/testing/fuzz-campaign.js';
import { CHECK_SUITE, failureIn } from './by-hand.js';

interface Hunt extends Partial<CampaignValue>, Partial<Pick<CampaignRun, 'maxFinds' | 'known' | 'onKept'>> {
  /** Number of runs. Default: 200. */
  readonly runs?: number;
  readonly rules?: readonly Rule[];
}

/** A campaign about everything, as plain JSON. */
export const CAMPAIGN: CampaignValue = campaignValue({ runs: 200, steps: 40 });

/** How a find is shrunk and played again. */
export const REFINING: RefineOptions = {
  ...CAMPAIGN,
  checkSuite: CHECK_SUITE,
  software: {},
  isStopped: () => false,
};

/** A campaign that begins anew, without a limit of time or finds, and that nobody watches. */
export const RUN = {
  earlier: null,
  known: [],
  maxFinds: Number.POSITIVE_INFINITY,
  now: () => 0,
  isOver: () => false,
  onState: () => undefined,
  onFound: () => undefined,
  onKept: () => undefined,
} as const;

/** Jobs of campaigns in worlds of a test's own. */
export function campaignJobs(target: FuzzTarget, rules: readonly Rule[] = []): CampaignJobs {
  return new CampaignJobs({ ...REFINING, target, checkSuite: { ...CHECK_SUITE, rules } });
}

/** A campaign in worlds of a test's own, until the first find unless it says otherwise. */
export async function hunt(target: FuzzTarget, options: Hunt = {}): Promise<Summary> {
  const { rules = [], maxFinds = 1, known = [], runs = 200, onKept = RUN.onKept, ...more } = options;
  const value = { ...CAMPAIGN, end: runs, keepsSequences: more.corpus !== undefined, ...more };
  const jobs = campaignJobs(target, rules);
  const summary = await runCampaign(value, {
    ...RUN,
    key: 'hunt',
    runner: new InlineRunner(jobs.table),
    known,
    maxFinds,
    onKept,
  });
  await jobs.close();
  return summary;
}

/** The first counterexample of a campaign in worlds of a test's own. */
export async function theFind(target: FuzzTarget, options: Hunt = {}): Promise<FailureFile> {
  const { found } = await hunt(target, options);
  if (found === null) throw new Error('nothing was found');
  return found;
}

/** How the written file of a counterexample fails in a fresh world; null if it does not. */
export function replayedIn(target: FuzzTarget, file: FailureFile): Promise<Failure | null> {
  const { steps, world, agents } = readFailure(writeFailure(file), 'x');
  return failureIn(target, steps, { world, agents });
}
