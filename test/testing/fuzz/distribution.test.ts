// @module-tag slow
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CampaignJobs } from '../../../src/testing/fuzz/campaign/campaign-jobs.js';
import {
  type CampaignValue,
  limitsNumber,
  rangeFrom,
} from '../../../src/testing/fuzz/campaign/campaign-value.js';
import { type CampaignRun, runCampaign } from '../../../src/testing/fuzz/campaign/run-campaign.js';
import { inProcessFuzz } from '../../../src/testing/drivers/in-process-fuzz.js';
import { type FuzzTarget, type Summary, findsOf } from '../../../src/testing/fuzz-library.js';
import { InlineRunner } from '../../../src/testing/jobs/inline-runner.js';
import type { Job, JobOutcome, JobRunner } from '../../../src/testing/jobs/job-runner.js';
import { CAMPAIGN, campaignJobs } from './hunt.js';
import { type Lie, lyingFuzzed } from './lying.js';
import { forAll } from '../../support/for-all.js';

/** Two ranges of eight runs, and one of two. */
const VALUE: CampaignValue = { ...CAMPAIGN, end: 18, steps: 188, seed: 5, keepsSequences: true };

/** Several workers in this process, each with worlds of its own. Jobs go through JSON, to the workers in turn, and some are played twice. */
class Workers implements JobRunner {
  readonly window: number;
  readonly #workers: readonly { runner: InlineRunner; jobs: CampaignJobs }[];
  #next = 0;

  constructor(count: number, target: FuzzTarget) {
    this.window = 4 * count;
    this.#workers = Array.from({ length: count }, () => {
      const jobs = campaignJobs(target);
      return { runner: new InlineRunner(jobs.table), jobs };
    });
  }

  async share(key: string, value: unknown): Promise<void> {
    const text = JSON.stringify(value);
    for (const { runner } of this.#workers) await runner.share(key, JSON.parse(text));
  }

  async run(job: Job): Promise<JobOutcome> {
    this.#next += 1;
    const sent = JSON.parse(JSON.stringify(job)) as Job;
    const worker = (number: number) => this.#workers[number % this.#workers.length]?.runner as InlineRunner;
    if (this.#next % 5 === 0) void worker(this.#next + 1).run(sent);
    return JSON.parse(JSON.stringify(await worker(this.#next).run(sent))) as JobOutcome;
  }

  stop(): void {
    for (const { runner } of this.#workers) runner.stop();
  }

  async close(): Promise<void> {
    for (const { jobs } of this.#workers) await jobs.close();
  }
}

/** A campaign that begins anew, without a limit of time or finds, and that nobody watches. */
const RUN = {
  earlier: null,
  known: [],
  maxFinds: Number.POSITIVE_INFINITY,
  now: () => 0,
  isOver: () => false,
  onState: () => undefined,
  onFound: () => undefined,
  onKept: () => undefined,
} as const;

interface Played extends Partial<Pick<CampaignRun, 'maxFinds' | 'earlier' | 'isOver' | 'known'>> {
  readonly value?: Partial<CampaignValue>;
  readonly target?: FuzzTarget;
}

/** A campaign by so many workers, without its duration. */
async function playedBy(count: number, options: Played = {}): Promise<Summary> {
  const { value = {}, target = inProcessFuzz, ...more } = options;
  const runner = new Workers(count, target);
  const summary = await runCampaign({ ...VALUE, ...value }, { ...RUN, key: 'test', runner, ...more });
  await runner.close();
  return JSON.parse(JSON.stringify(summary)) as Summary;
}

const MORE: Lie = (text) =>
  text
    .replace(/^.*daily_limit_exceeded.*$/, '{"status":200,"body":{}}')
    .replace('"code":"loan_not_found"', '"code":"not_found"')
    .replace('"code":"insufficient_savings"', '"code":"not_found"');
const LYING = { target: lyingFuzzed(MORE), value: { weights: { overlap: 0 } } };
/** What one worker reports of them. */
let byOne: Promise<Summary> | null = null;
const lyingByOne = () => (byOne ??= playedBy(1, LYING));

describe('a campaign', () => {
  it('has the same counterexamples and corpus in the same order, whoever plays its ranges, finds and shrinks', async () => {
    const one = await lyingByOne();
    expect(one.runs).toBe(18);
    expect(one.corpus.length).toBeGreaterThan(15);
    expect(findsOf(one).length).toBeGreaterThan(3);
    expect(one.repeats).toBeGreaterThan(3);
    expect(await playedBy(5, LYING)).toEqual(one);
  }, 120_000);

  it('ends with the same range when it has as many counterexamples as are wanted', async () => {
    const one = await playedBy(1, { ...LYING, maxFinds: 2 });
    expect(findsOf(one)).toHaveLength(2);
    expect(one.runs).toBeLessThan(18);
    expect(await playedBy(4, { ...LYING, maxFinds: 2 })).toEqual(one);
  }, 120_000);

  it('that was stopped and goes on from its result ends as an uninterrupted one', async () => {
    const whole = await lyingByOne();
    let handed = 0;
    const isOver = () => (handed += 1) > 1;
    const earlier = await playedBy(2, { ...LYING, isOver });
    expect(earlier.runs).toBeLessThan(whole.runs);
    expect(await playedBy(1, { ...LYING, earlier })).toEqual(whole);
  }, 120_000);
});

describe('the ranges of a campaign', () => {
  const campaign = fc.record({
    first: fc.nat(100_000),
    runs: fc.integer({ min: 1, max: 3_000 }),
    steps: fc.integer({ min: 10, max: 10_000 }),
    variesLimits: fc.constantFrom(undefined, true as const),
  });

  it('hold each run once, and only runs under the same limits when limits vary', () => {
    forAll(campaign, ({ first, runs, steps, variesLimits }) => {
      const value = { end: first + runs, steps, ...(variesLimits === true ? { variesLimits } : {}) };
      let next = first;
      while (next < value.end) {
        const range = rangeFrom(next, value);
        expect(range.first).toBe(next);
        expect(range.end).toBeGreaterThan(next);
        if (variesLimits === true) expect(limitsNumber(range.end - 1)).toBe(limitsNumber(next));
        next = range.end;
      }
      expect(next).toBe(value.end);
    });
  });
});
