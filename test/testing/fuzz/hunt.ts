import { type CampaignInput, campaignBy, campaignValue } from '../../../src/testing/fuzz-campaign.js';
import {
  type FailureFile,
  type FuzzTarget,
  type Summary,
  readFailure,
  writeFailure,
} from '../../../src/testing/fuzz-library.js';
import { CampaignJobs } from '../../../src/testing/fuzz/campaign/campaign-jobs.js';
import type { CampaignValue } from '../../../src/testing/fuzz/campaign/campaign-value.js';
import type { RefineOptions } from '../../../src/testing/fuzz/campaign/refine.js';
import type { Failure } from '../../../src/testing/fuzz/play/sequences.js';
import { InlineRunner } from '../../../src/testing/jobs/inline-runner.js';
import { CHECK_SUITE, failureIn } from './by-hand.js';

/** A campaign about everything, as plain JSON. */
export const CAMPAIGN: CampaignValue = campaignValue({ runs: 200, steps: 40 });

/** How a find is shrunk and played again. */
export const REFINING: RefineOptions = {
  ...CAMPAIGN,
  checkSuite: CHECK_SUITE,
  software: {},
  isStopped: () => false,
};

/** Jobs of campaigns in worlds of a test's own. */
export function campaignJobs(target: FuzzTarget): CampaignJobs {
  return new CampaignJobs({ ...REFINING, target });
}

/** A campaign in worlds of a test's own, until the first find unless it says otherwise. */
export async function hunt(target: FuzzTarget, options: CampaignInput = {}): Promise<Summary> {
  const jobs = campaignJobs(target);
  const by = { key: 'hunt', runner: new InlineRunner(jobs.table) };
  const summary = await campaignBy(by, { runs: 200, steps: 40, ...options }, () => undefined);
  await jobs.close();
  return summary;
}

/** The first counterexample of a campaign in worlds of a test's own. */
export async function theFind(target: FuzzTarget, options: CampaignInput = {}): Promise<FailureFile> {
  const { found } = await hunt(target, options);
  if (found === null) throw new Error('nothing was found');
  return found;
}

/** How the written file of a counterexample fails in a fresh world; null if it does not. */
export function replayedIn(target: FuzzTarget, file: FailureFile): Promise<Failure | null> {
  const { steps, world, agents } = readFailure(writeFailure(file), 'x');
  return failureIn(target, steps, { world, agents });
}
