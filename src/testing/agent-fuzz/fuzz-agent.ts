import fc from 'fast-check';
import { UNCONFIGURED } from '../fuzz/draw.js';
import type { Variants } from '../../core/domain/variants.js';
import type { AgentRule, Broken } from './checks.js';
import { FOUND_FORMAT, FOUND_VERSION, type FoundInAgent } from './found.js';
import type { AgentLimits } from './sandbox.js';
import type { MishapName } from './mishaps.js';
import { type AgentPlan, GOOD_DAY, mishapText, planDrafts, planOf } from './plan.js';
import type { AgentTarget } from './types.js';
import { type AgentRun, playPlan } from './run.js';
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

/** How often a fault was planned, and how often it fired. */
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
  /** Allowed faults that never fired. */
  readonly neverMet: readonly MishapName[];
}

function tallyOf(names: readonly MishapName[]) {
  const mishaps = Object.fromEntries(names.map((name) => [name, { planned: 0, met: 0 }]));
  return {
    runs: 0,
    calls: 0,
    ended: { reported: 0, threw: 0, stopped: 0 },
    orders: { wanted: 0, paid: 0, delivered: 0 },
    mishaps,
  };
}

type Tally = ReturnType<typeof tallyOf>;

function count(tally: Tally, { end, facts, calls, met }: AgentRun, { mishaps }: AgentPlan): void {
  tally.runs += 1;
  tally.calls += calls;
  tally.ended[end.kind] += 1;
  tally.orders.wanted += facts.orders.length;
  tally.orders.paid += facts.orders.filter(({ payments }) => payments.length > 0).length;
  tally.orders.delivered += facts.orders.filter(({ served }) => served > 0).length;
  for (const [at, { what }] of mishaps.entries()) {
    const counts = tally.mishaps[what];
    if (counts === undefined) continue;
    counts.planned += 1;
    if (met.has(at)) counts.met += 1;
  }
}

type BrokenRun = AgentRun & { readonly broken: Broken };

/** Reports to fast-check that a plan breaks the rule, and keeps the run of the smallest such plan. */
class RuleBroken extends Error {
  override readonly name = 'RuleBroken';

  constructor(
    readonly plan: AgentPlan,
    readonly run: BrokenRun,
  ) {
    super(run.broken.text);
  }
}

/** Ends the remaining runs. */
const STOPPED = new Error('the campaign was stopped');

interface Hit {
  readonly plan: AgentPlan;
  readonly run: BrokenRun;
  readonly repeats: boolean;
}

type Play = (plan: AgentPlan, isTraced?: boolean) => Promise<AgentRun>;

/** Opens a world for plans, and closes it after `work`. */
async function inWorld<T>(
  target: AgentTarget,
  agent: AgentUnderTest,
  { limits, mustSucceed, variants }: Pick<FoundInAgent, 'limits' | 'mustSucceed' | 'variants'>,
  work: (play: Play) => Promise<T>,
): Promise<T> {
  const world = await target.open(variants);
  const options = { limits, mustSucceed, timer: (ms: number) => target.timer(ms) };
  try {
    return await work((plan, isTraced = false) => playPlan(world, agent, plan, { ...options, isTraced }));
  } finally {
    await world.close();
  }
}

/** Runs until a rule is broken, shrinks the plan while it breaks the same rule, and replays the smallest plan for its trace. */
async function firstHit(play: Play, campaign: AgentCampaign, tally: Tally): Promise<Hit | null> {
  let rule: AgentRule | null = null;
  let isRepeatable = true;
  /** Number of plans that may still be played. */
  let left = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(planDrafts(campaign.names), async (draft) => {
    if (left <= 0) return;
    const rest = left - 1;
    // Stays set when something throws: an exception of the world breaks no rule and ends the campaign.
    left = 0;
    const plan = planOf(draft);
    const run = await play(plan);
    const { broken } = run;
    if (rule !== null) left = rest;
    else {
      count(tally, run, plan);
      const goesOn = campaign.goOn(tally.runs);
      if (broken !== null) {
        ({ rule } = broken);
        isRepeatable = (await play(plan)).broken?.rule === rule;
        left = isRepeatable ? campaign.shrinkAttempts : 0;
      } else if (goesOn) left = rest;
      else throw STOPPED;
    }
    // Shrinking towards another rule would lose the finding.
    if (broken !== null && broken.rule === rule) throw new RuleBroken(plan, { ...run, broken });
  });
  const { errorInstance: smallest } = await fc.check(property, {
    ...UNCONFIGURED,
    seed: campaign.seed,
    numRuns: campaign.runs,
    examples: [[GOOD_DAY]],
    unbiased: true,
  });
  if (smallest === null || smallest === STOPPED) return null;
  if (!(smallest instanceof RuleBroken)) throw smallest;
  const { plan, run } = smallest;
  const { broken, ...again } = await play(plan, true);
  return broken?.rule === run.broken.rule
    ? { plan, run: { ...again, broken }, repeats: isRepeatable }
    : { plan, run, repeats: false };
}

function findingOf(
  { plan, run, repeats }: Hit,
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

/** Runs an agent repeatedly until it breaks a rule or has completed all runs. */
export async function fuzzAgentIn(
  target: AgentTarget,
  agent: AgentUnderTest,
  campaign: AgentCampaign,
): Promise<AgentFuzzResult> {
  const { seed, names, limits, mustSucceed, variants } = campaign;
  const begunMs = target.nowMs();
  const tally = tallyOf(names);
  const hit = await inWorld(target, agent, campaign, (play) => firstHit(play, campaign, tally));
  const about = { seed, run: tally.runs - 1, mustSucceed, limits, variants };
  return {
    verdict: hit === null ? 'HELD' : 'FAILED',
    found: hit === null ? null : findingOf(hit, about),
    ...tally,
    seconds: (target.nowMs() - begunMs) / 1_000,
    neverMet: names.filter((name) => tally.mishaps[name]?.met === 0),
  };
}

/** Replays a finding in a fresh world. */
export function replayAgentIn(
  target: AgentTarget,
  agent: AgentUnderTest,
  found: FoundInAgent,
): Promise<AgentRun> {
  return inWorld(target, agent, found, (play) => play(found.plan, true));
}
