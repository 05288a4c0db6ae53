import { setImmediate } from 'node:timers/promises';
import { CampaignJobs, type ChunkJob } from '../../src/testing/fuzz/campaign/campaign-jobs.js';
import { PROPERTIES, partsOf } from '../../src/testing/fuzz/campaign/properties.js';
import { COMMANDS, type Property } from '../../src/testing/fuzz-library.js';
import { judgesOf } from '../../src/testing/fuzz-campaign.js';
import { serveJobs } from '../../src/testing/jobs/job-process.js';
import type { JobTable } from '../../src/testing/jobs/job-runner.js';
import { lyingFuzzed } from '../testing/fuzz/lying.js';

/** A service with three bugs. */
const target = lyingFuzzed((text) =>
  text
    .replace(/^.*daily_limit_exceeded.*$/, '{"status":200,"body":{}}')
    .replace('"code":"loan_not_found"', '"code":"not_found"')
    .replace('"code":"insufficient_savings"', '"code":"not_found"'),
);

const { table } = new CampaignJobs((value) => ({
  target,
  checkSuite: judgesOf({}),
  software: {},
  now: () => performance.now(),
  pause: () => setImmediate(),
  parts: partsOf(COMMANDS, PROPERTIES[0] as Property, value),
}));

/** Its campaigns, in which the fourth chunk ends the process that plays it. */
export const JOBS: JobTable = {
  ...table,
  'fuzz chunk': async (data, context) => {
    if ((data as ChunkJob).chunk === 3) process.kill(process.pid, 'SIGKILL');
    return (table['fuzz chunk'] as JobTable[string])(data, context);
  },
};

process.once('disconnect', () => process.exit());
serveJobs(() => JOBS);
