import { CampaignJobs, type RangeJob } from '../../src/testing/fuzz/campaign/campaign-jobs.js';
import { checkSuiteOf } from '../../src/testing/fuzz-campaign.js';
import { serveJobs } from '../../src/testing/jobs/job-process.js';
import type { JobTable } from '../../src/testing/jobs/job-runner.js';
import { lyingFuzzed } from '../testing/fuzz/lying.js';

/** The first run of the second range. */
const SECOND = 8;

/** A service with three bugs. */
const target = lyingFuzzed((text) =>
  text
    .replace(/^.*daily_limit_exceeded.*$/, '{"status":200,"body":{}}')
    .replace('"code":"loan_not_found"', '"code":"not_found"')
    .replace('"code":"insufficient_savings"', '"code":"not_found"'),
);

const { table } = new CampaignJobs({
  target,
  checkSuite: checkSuiteOf({}),
  software: {},
});

/** Its campaigns, in which the second range ends the process that plays it. */
export const JOBS: JobTable = {
  ...table,
  'fuzz range': async (data, context) => {
    if ((data as RangeJob).first === SECOND) process.kill(process.pid, 'SIGKILL');
    return (table['fuzz range'] as JobTable[string])(data, context);
  },
};

process.once('disconnect', () => process.exit());
serveJobs(() => JOBS);
