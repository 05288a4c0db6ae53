import type { Variants } from '../../../core/domain/variants.js';
import { Random } from '../../random.js';
import type { Broken } from './checks.js';
import { FOUND_FORMAT, FOUND_VERSION, type FoundInAgent } from './found.js';
import type { AgentLimits } from './sandbox.js';
import { MISHAP_NAMES, type MishapName } from './mishaps.js';
import { type AgentPlan, GOOD_DAY, drawPlan, mishapText } from './plan.js';
import type { AgentTarget, AgentWorld } from './types.js';
import { type AgentRun, type RunOptions, playPlan } from './run.js';
import { shrinkPlan } from './shrink-plan.js';
import { reportLines, failureReport } from './failure-report.js';
import type { AgentUnderTest } from './task.js';

/** Resolved options for fuzzing an agent. */
export interface AgentCampaign {
  readonly runs: number;
  readonly seed: number;
  readonly mustSucceed: boolean;
  readonly limits: AgentLimits;
  readonly variants: Partial<Variants>;
  /** Faults that may be injected. */
  readonly names: readonly MishapName[];
  /** Maximum plans to play while shrinking a finding. */
  readonly shrinkAttempts: number;
  /** Called after each run; returning false ends the campaign. */
  readonly goOn: (run: number) => boolean;
}

/** How often a fault was planned, and how often it was injected. */
export interface MishapCount {
  readonly planned: number;
  readonly met: number;
}

/** Result of fuzzing an agent. */
export interface AgentFuzzResult {
  readonly verdict: 'HELD' | 'FAILED';
  /** The first broken rule, shrunk; null for none. */
  readonly found: FoundInAgent | null;
  /** Runs and their requests and waits, without those made while shrinking. */
  readonly runs: number;
  readonly calls: number;
  readonly seconds: number;
  readonly ended: Readonly<Record<'reported' | 'threw' | 'stopped', number>>;
  readonly orders: { readonly wanted: number; readonly paid: number; readonly delivered: number };
  readonly mishaps: Readonly<Record<string, MishapCount>>;
  /** Allowed faults that were never injected. */
  readonly neverMet: readonly MishapName[];
}

/** Separates the seeds of runs, so that neighbouring runs of neighbouring seeds are unrelated. */
const SEED_STRIDE = 1_000_003;

class Tally {
  readonly ended = { reported: 0, threw: 0, stopped: 0 };
  readonly orders = { wanted: 0, paid: 0, delivered: 0 };
  calls = 0;
  runs = 0;
  readonly #mishaps: Map<MishapName, { planned: number; met: number }>;

  constructor(names: readonly MishapName[]) {
    this.#mishaps = new Map(names.map((name) => [name, { planned: 0, met: 0 }]));
  }

  count({ end, facts, calls, met }: AgentRun, plan: AgentPlan): void {
    this.runs += 1;
    this.calls += calls;
    this.ended[end.kind] += 1;
    this.orders.wanted += facts.orders.length;
    this.orders.paid += facts.orders.filter(({ payments }) => payments.length > 0).length;
    this.orders.delivered += facts.orders.filter(({ served }) => served > 0).length;
    for (const [at, { what }] of plan.mishaps.entries()) {
      const count = this.#mishaps.get(what) ?? { planned: 0, met: 0 };
      this.#mishaps.set(what, { planned: count.planned + 1, met: count.met + (met.has(at) ? 1 : 0) });
    }
  }

  mishaps(): Record<string, MishapCount> {
    return Object.fromEntries(this.#mishaps);
  }

  neverMet(): MishapName[] {
    return [...this.#mishaps].filter(([, { met }]) => met === 0).map(([name]) => name);
  }
}

interface Hit {
  readonly plan: AgentPlan;
  readonly run: AgentRun & { readonly broken: Broken };
}

/** Shrinks to the smallest plan that breaks the same rule, and replays it for its trace. */
async function refined(
  world: AgentWorld,
  agent: AgentUnderTest,
  hit: Hit,
  { options, attempts }: { readonly options: RunOptions; readonly attempts: number },
): Promise<Hit & { readonly repeats: boolean }> {
  const { rule } = hit.run.broken;
  const broken = async (plan: AgentPlan) =>
    (await playPlan(world, agent, plan, options)).broken?.rule === rule;
  const isRepeatable = await broken(hit.plan);
  const { plan } = isRepeatable ? await shrinkPlan(hit.plan, broken, attempts) : hit;
  const run = await playPlan(world, agent, plan, { ...options, withDiary: true });
  if (run.broken?.rule !== rule) return { ...hit, repeats: false };
  return { plan, run: { ...run, broken: run.broken }, repeats: isRepeatable };
}

function findingOf(
  { plan, run, repeats }: Hit & { readonly repeats: boolean },
  about: Pick<FoundInAgent, 'seed' | 'run' | 'mustSucceed' | 'limits' | 'variants'>,
): FoundInAgent {
  return {
    format: FOUND_FORMAT,
    version: FOUND_VERSION,
    ...about,
    rule: run.broken.rule,
    text: failureReport(run, plan),
    mishaps: plan.mishaps.map(mishapText),
    story: reportLines(run),
    repeats,
    plan: { ...plan, orders: [...plan.orders], mishaps: [...plan.mishaps] },
  };
}

/** The plan of a run: the first has no faults. */
export function planOf(seed: number, run: number, names: readonly MishapName[] = MISHAP_NAMES): AgentPlan {
  return run === 0 || names.length === 0 ? GOOD_DAY : drawPlan(new Random(seed * SEED_STRIDE + run), names);
}

/** Runs an agent again and again until it breaks a rule or the runs are used up. */
export async function fuzzAgentIn(
  target: AgentTarget,
  agent: AgentUnderTest,
  campaign: AgentCampaign,
): Promise<AgentFuzzResult> {
  const { seed, names, limits, mustSucceed, variants } = campaign;
  const begunMs = target.nowMs();
  const options: RunOptions = { limits, mustSucceed, timer: (ms) => target.timer(ms) };
  const tally = new Tally(names);
  const world = await target.open(variants);
  try {
    let found: FoundInAgent | null = null;
    for (let number = 0; number < campaign.runs && found === null; number += 1) {
      const plan = planOf(seed, number, names);
      const run = await playPlan(world, agent, plan, options);
      tally.count(run, plan);
      const { broken } = run;
      if (broken !== null) {
        const hit = { plan, run: { ...run, broken } };
        const small = await refined(world, agent, hit, { options, attempts: campaign.shrinkAttempts });
        found = findingOf(small, { seed, run: number, mustSucceed, limits, variants });
      }
      if (!campaign.goOn(tally.runs)) break;
    }
    const { runs, calls, ended, orders } = tally;
    const seconds = (target.nowMs() - begunMs) / 1_000;
    const counts = {
      runs,
      calls,
      seconds,
      ended,
      orders,
      mishaps: tally.mishaps(),
      neverMet: tally.neverMet(),
    };
    return { verdict: found === null ? 'HELD' : 'FAILED', found, ...counts };
  } finally {
    await world.close();
  }
}

/** Replays a finding in a fresh world. */
export async function replayAgentIn(
  target: AgentTarget,
  agent: AgentUnderTest,
  { plan, limits, mustSucceed, variants }: FoundInAgent,
): Promise<AgentRun> {
  const world = await target.open(variants);
  try {
    const timer = (ms: number) => target.timer(ms);
    return await playPlan(world, agent, plan, { limits, mustSucceed, timer, withDiary: true });
  } finally {
    await world.close();
  }
}
