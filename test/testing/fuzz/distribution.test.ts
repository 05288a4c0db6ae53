// @module-tag slow
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CampaignJobs } from '../../../src/testing/fuzz/campaign/campaign-jobs.js';
import { type CampaignValue, Chunks } from '../../../src/testing/fuzz/campaign/campaign-value.js';
import { PROPERTIES, partsOf } from '../../../src/testing/fuzz/campaign/properties.js';
import { type CampaignRun, runCampaign } from '../../../src/testing/fuzz/campaign/run-campaign.js';
import { inProcessFuzz } from '../../../src/testing/drivers/in-process-fuzz.js';
import {
  COMMANDS,
  type FuzzTarget,
  type Property,
  type Summary,
  findsOf,
} from '../../../src/testing/fuzz-library.js';
import { InlineRunner } from '../../../src/testing/jobs/inline-runner.js';
import type { Job, JobOutcome, JobRunner } from '../../../src/testing/jobs/job-runner.js';
import { JUDGES } from './export-support.js';
import { REFINING } from './hunt.js';
import { type Lie, lyingFuzzed } from './lying.js';

const { property, world, agents, shrinkAttempts, shrinkTimeMs } = REFINING;

const VALUE: CampaignValue = {
  property,
  world,
  agents,
  shrinkAttempts,
  shrinkTimeMs,
  runs: 40,
  // Chunks of eight runs.
  steps: 188,
  seed: 5,
  only: [],
  weights: {},
  share: { index: 0, count: 1 },
  ignored: [],
};

/** Several workers in this process, each with worlds of its own. Jobs go through JSON, to the workers in turn, and some are played twice. */
class Workers implements JobRunner {
  readonly window: number;
  readonly #workers: readonly { runner: InlineRunner; jobs: CampaignJobs }[];
  readonly #crashing: (job: Job) => boolean;
  #next = 0;

  constructor(count: number, target: FuzzTarget, crashing: (job: Job) => boolean = () => false) {
    this.window = 4 * count;
    this.#crashing = crashing;
    const [strategy] = PROPERTIES as [Property];
    const tools = { ...REFINING, target, checkSuite: JUDGES };
    this.#workers = Array.from({ length: count }, () => {
      const jobs = new CampaignJobs((value) => ({
        ...tools,
        parts: partsOf(COMMANDS, strategy, value),
      }));
      return { runner: new InlineRunner(jobs.table), jobs };
    });
  }

  async share(key: string, value: unknown): Promise<void> {
    const text = JSON.stringify(value);
    for (const { runner } of this.#workers) await runner.share(key, JSON.parse(text));
  }

  async run(job: Job): Promise<JobOutcome> {
    if (this.#crashing(job)) return { kind: 'crashed', reason: 'its process ended (SIGKILL)' };
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

interface Played extends Partial<Pick<CampaignRun, 'maxFinds' | 'earlier' | 'isOver' | 'known'>> {
  readonly value?: Partial<CampaignValue>;
  readonly target?: FuzzTarget;
  readonly crashing?: (job: Job) => boolean;
}

/** A campaign by so many workers, without its duration. */
async function playedBy(count: number, options: Played = {}): Promise<Summary> {
  const { value = {}, target = inProcessFuzz, crashing, ...more } = options;
  const runner = new Workers(count, target, crashing);
  const summary = await runCampaign(
    { ...VALUE, ...value },
    {
      key: 'test',
      runner,
      corpus: [],
      earlier: null,
      known: [],
      maxFinds: Number.POSITIVE_INFINITY,
      now: () => 0,
      isOver: () => false,
      onState: () => undefined,
      onFound: () => undefined,
      onKept: () => undefined,
      ...more,
    },
  );
  await runner.close();
  return JSON.parse(JSON.stringify(summary)) as Summary;
}

const MORE: Lie = (text) =>
  text
    .replace(/^.*daily_limit_exceeded.*$/, '{"status":200,"body":{}}')
    .replace('"code":"loan_not_found"', '"code":"not_found"')
    .replace('"code":"insufficient_savings"', '"code":"not_found"');
const LYING = { target: lyingFuzzed(MORE), value: { runs: 34, weights: { overlap: 0 } } };
/** What one worker reports of them. */
let byOne: Promise<Summary> | null = null;
const lyingByOne = () => (byOne ??= playedBy(1, LYING));

describe('a campaign', () => {
  it('has the same result whoever plays its chunks, in which order and how often', async () => {
    const one = await playedBy(1);
    expect(one.runs).toBe(40);
    expect(one.corpus.length).toBeGreaterThan(30);
    expect(await playedBy(5)).toEqual(one);
  }, 120_000);

  it('has the same counterexamples in the same order, whoever finds and shrinks them', async () => {
    const one = await lyingByOne();
    expect(findsOf(one).length).toBeGreaterThan(3);
    expect(one.repeats).toBeGreaterThan(3);
    expect(await playedBy(3, LYING)).toEqual(one);
  }, 120_000);

  it('ends with the same chunk when it has as many counterexamples as are wanted', async () => {
    const one = await playedBy(1, { ...LYING, maxFinds: 2 });
    expect(findsOf(one)).toHaveLength(2);
    expect(one.runs).toBeLessThan(34);
    expect(await playedBy(4, { ...LYING, maxFinds: 2 })).toEqual(one);
  }, 120_000);

  it('plays a chunk to its end whose failures turn out to be known', async () => {
    const known = findsOf(await lyingByOne());
    const again = await playedBy(2, { ...LYING, known, maxFinds: 1 });
    const all = await playedBy(1, { ...LYING, known });
    expect(findsOf(again).length).toBeLessThanOrEqual(1);
    if (again.found === null) expect(again).toEqual(all);
    else expect(again.found).toEqual(all.found);
  }, 120_000);

  it('that was stopped and goes on from its result ends as an uninterrupted one', async () => {
    const whole = await lyingByOne();
    for (const chunks of [1, 4]) {
      let handed = 0;
      const isOver = () => (handed += 1) > chunks;
      const earlier = await playedBy(2, { ...LYING, isOver });
      expect(earlier.runs).toBeLessThan(whole.runs);
      expect(await playedBy(1, { ...LYING, earlier })).toEqual(whole);
    }
  }, 120_000);

  it('reports the runs of a chunk that no process survives, and plays all others', async () => {
    const crashing = ({ id }: Job) => id === 'test-chunk-3-24-all';
    const one = await playedBy(1, { crashing });
    expect(one.crashed).toEqual([
      {
        what: 'playing',
        property: 'everything',
        seed: 5,
        first: 24,
        end: 32,
        reason: 'its process ended (SIGKILL)',
      },
    ]);
    expect(one.runs).toBe(32);
    expect(await playedBy(3, { crashing })).toEqual(one);
  }, 120_000);
});

describe('chunks', () => {
  const campaign = fc.record({
    runs: fc.integer({ min: 1, max: 3_000 }),
    steps: fc.integer({ min: 10, max: 10_000 }),
    share: fc
      .integer({ min: 1, max: 5 })
      .chain((count) => fc.record({ index: fc.nat(count - 1), count: fc.constant(count) })),
  });

  it('hold each run of a share once', () => {
    fc.assert(
      fc.property(campaign, (value) => {
        const chunks = new Chunks(value);
        const { index, count } = value.share;
        let next = index;
        for (let number = 0; number < chunks.count; number += 1) {
          const { first, end } = chunks.at(number);
          expect(first).toBe(next);
          expect(end).toBeGreaterThan(first);
          expect(chunks.of(first)).toBe(number);
          next = first + count * Math.ceil((end - first) / count);
        }
        expect(next).toBeGreaterThanOrEqual(value.runs);
        expect(next - count).toBeLessThan(value.runs);
      }),
    );
  });

  it('begin from the corpus of the generations before the last', () => {
    const chunks = new Chunks({ ...VALUE, runs: null });
    const starts = Array.from({ length: 5_000 }, (_, at) => chunks.generationOf(at));
    for (const [at, generation] of starts.entries()) {
      expect(generation - (starts[at - 1] ?? 0)).toBeLessThanOrEqual(1);
      expect(chunks.corpusOf(at)).toBe(Math.max(0, generation - 1));
    }
    const sizes = new Map<number, number>();
    for (const generation of starts) sizes.set(generation, (sizes.get(generation) ?? 0) + 1);
    expect(Math.max(...sizes.values())).toBeLessThanOrEqual(512);
    // Any chunk is found again after later ones were asked for.
    expect(starts.map((_, at) => chunks.generationOf(at))).toEqual(starts);
  });
});
