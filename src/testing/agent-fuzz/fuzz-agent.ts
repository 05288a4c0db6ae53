import { inspect } from 'node:util';
import fc from 'fast-check';
import { checkKnown, checkMembers, refusedValue } from '../../core/suggestion.js';
import { UNCONFIGURED } from '../fuzz/draw.js';
import type { Variants } from '../../core/domain/variants.js';
import type { AgentRule, Broken } from './checks.js';
import { AGENT_VARIANTS, FOUND_FORMAT, FOUND_VERSION, type FoundInAgent, readFound } from './found.js';
import { MISHAP_NAMES, type MishapName } from './mishaps.js';
import { type AgentPlan, GOOD_DAY, mishapText, planDrafts, planOf } from './plan.js';
import { AgentWorld } from '../drivers/agent-sandbox.js';
import { type AgentRun, playPlan } from './run.js';
import { reportLines, failureReport } from './failure-report.js';
import type { OperationCounts } from './sandbox.js';
import type { AgentUnderTest } from './task.js';

/** Options for fuzzing an agent; all are optional. */
export interface FuzzAgentOptions {
  /** Number of runs. Default: 200. The first injects no faults. */
  readonly runs?: number;
  /** Integer seed of fast-check; equal seeds plan equal runs. Default: 1. */
  readonly seed?: number;
  /** Whether giving up breaks a rule if no permanent fault prevents success. Default: false. Runs without faults always have this rule. */
  readonly mustSucceed?: boolean;
  /** Variants of the bank. Default: `{ paymentRequests: 'repeatedly' }`, because otherwise the bank refuses a second payment. */
  readonly variants?: Partial<Variants>;
  /** Inject only these faults. */
  readonly mishaps?: readonly MishapName[];
  /** Maximum requests and waits per run. Default: 500. */
  readonly maxCalls?: number;
  /** Maximum simulated milliseconds that the agent can wait per run. Default: seven days. */
  readonly maxWaitMs?: number;
  /** Maximum real milliseconds per run. Default: 10,000. */
  readonly timeoutMs?: number;
  /** Maximum plans to play while shrinking a finding. Default: 300. */
  readonly shrinkAttempts?: number;
  /** Called after each run with the number of runs so far; return false to stop. */
  readonly onProgress?: (runs: number) => boolean | void;
}

const DEFAULTS: Required<FuzzAgentOptions> = {
  runs: 200,
  seed: 1,
  mustSucceed: false,
  variants: AGENT_VARIANTS,
  mishaps: MISHAP_NAMES,
  maxCalls: 500,
  maxWaitMs: 7 * 86_400_000,
  timeoutMs: 10_000,
  shrinkAttempts: 300,
  onProgress: () => undefined,
};

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
  /** By operation of the bank: the agent's calls, and how many of them a fault affected. */
  readonly operations: Readonly<Record<string, { readonly calls: number; readonly affected: number }>>;
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
    operations: {} as OperationCounts,
    mishaps,
  };
}

type Tally = ReturnType<typeof tallyOf>;

function count(tally: Tally, { end, facts, calls, met, operations }: AgentRun, { mishaps }: AgentPlan): void {
  tally.runs += 1;
  tally.calls += calls;
  tally.ended[end.kind] += 1;
  tally.orders.wanted += facts.orders.length;
  tally.orders.paid += facts.orders.filter(({ payments }) => payments.length > 0).length;
  tally.orders.delivered += facts.orders.filter(({ served }) => served > 0).length;
  for (const [operation, { calls: made, affected }] of Object.entries(operations)) {
    const counts = (tally.operations[operation] ??= { calls: 0, affected: 0 });
    counts.calls += made;
    counts.affected += affected;
  }
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

type Play = (plan: AgentPlan) => Promise<AgentRun>;

/** Opens a world for plans, and closes it after `work`. */
async function inWorld<T>(
  agent: AgentUnderTest,
  { limits, mustSucceed, variants }: Pick<FoundInAgent, 'limits' | 'mustSucceed' | 'variants'>,
  work: (play: Play) => Promise<T>,
): Promise<T> {
  if (typeof agent !== 'function') throw new TypeError('the agent is not a function');
  const world = await AgentWorld.open(variants);
  try {
    return await work((plan) => playPlan(world, agent, plan, { limits, mustSucceed }));
  } finally {
    await world.close();
  }
}

/** Runs until a rule is broken, and shrinks the plan while it breaks the same rule. Null when no rule is broken. */
async function firstHit(
  play: Play,
  { mishaps, seed, runs, shrinkAttempts, onProgress }: Required<FuzzAgentOptions>,
  tally: Tally,
) {
  let rule: AgentRule | null = null;
  let isRepeatable = true;
  /** Number of plans that may still be played. */
  let left = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(planDrafts(mishaps), async (draft) => {
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
      if (broken === null && run.end.kind === 'reported')
        checkMembers("the agent's report", run.end.report, ['spent', 'balance', 'got', 'unresolved']);
      const goesOn = onProgress(tally.runs) !== false;
      if (broken !== null) {
        ({ rule } = broken);
        isRepeatable = (await play(plan)).broken?.rule === rule;
        left = isRepeatable ? shrinkAttempts : 0;
      } else if (goesOn) left = rest;
      else throw STOPPED;
    }
    // Shrinking towards another rule would lose the finding.
    if (broken !== null && broken.rule === rule) throw new RuleBroken(plan, { ...run, broken });
  });
  const { errorInstance: smallest } = await fc.check(property, {
    ...UNCONFIGURED,
    seed,
    numRuns: runs,
    examples: [[GOOD_DAY]],
    unbiased: true,
  });
  if (smallest === null || smallest === STOPPED) return null;
  if (!(smallest instanceof RuleBroken)) throw smallest;
  const { plan, run } = smallest;
  const repeats = isRepeatable && (await play(plan)).broken?.rule === run.broken.rule;
  return { plan, run, repeats };
}

/**
 * Runs an agent in a hostile world: responses are lost, transactions hang, services send false prices, recipients and receipts. Checks the books and the chain: no order may be paid twice, overpaid or paid to the wrong recipient, and the agent must know its balances. Shrinks findings. Throws RangeError for invalid options.
 */
export function fuzzAgent(agent: AgentUnderTest, given: FuzzAgentOptions = {}): Promise<AgentFuzzResult> {
  // JavaScript may pass undefined or null for what is not given.
  const chosen = Object.fromEntries(Object.entries(given).filter(([, value]) => (value ?? null) !== null));
  checkKnown(chosen, Object.keys(DEFAULTS), 'option');
  for (const [name, value] of Object.entries(chosen)) {
    const usual = DEFAULTS[name as keyof FuzzAgentOptions];
    const least = name === 'seed' ? -Infinity : name === 'shrinkAttempts' ? 0 : 1;
    const isNumber = typeof value === 'number' && (name.endsWith('Ms') || Math.floor(value) === value);
    if (
      typeof value !== typeof usual ||
      Array.isArray(value) !== Array.isArray(usual) ||
      (typeof usual === 'number' && !(isNumber && value >= least))
    )
      throw new RangeError(
        `${refusedValue(name, value, [])}${typeof usual === 'number' && name !== 'seed' ? ` It must be ${least} or more.` : ''} The default is ${inspect(usual)}.`,
      );
  }
  const options: Required<FuzzAgentOptions> = {
    ...DEFAULTS,
    ...chosen,
    variants: { ...AGENT_VARIANTS, ...given.variants },
  };
  const unknown = options.mishaps.find((name) => !MISHAP_NAMES.includes(name));
  if (unknown !== undefined)
    throw new RangeError(`unknown mishap ${unknown}; there are ${MISHAP_NAMES.join(', ')}`);
  return campaignOf(agent, options);
}

async function campaignOf(
  agent: AgentUnderTest,
  options: Required<FuzzAgentOptions>,
): Promise<AgentFuzzResult> {
  const { seed, mishaps, mustSucceed, variants } = options;
  const limits = { calls: options.maxCalls, waitMs: options.maxWaitMs, realMs: options.timeoutMs };
  const begunMs = performance.now();
  const tally = tallyOf(mishaps);
  const world = { mustSucceed, limits, variants };
  const hit = await inWorld(agent, world, (play) => firstHit(play, options, tally));
  return {
    verdict: hit === null ? 'HELD' : 'FAILED',
    found: hit && {
      format: FOUND_FORMAT,
      version: FOUND_VERSION,
      seed,
      run: tally.runs - 1,
      ...world,
      rule: hit.run.broken.rule,
      text: failureReport(hit.run, { plan: hit.plan, variants }),
      mishaps: hit.plan.mishaps.map(mishapText),
      story: reportLines(hit.run),
      repeats: hit.repeats,
      plan: hit.plan,
    },
    ...tally,
    seconds: (performance.now() - begunMs) / 1_000,
    neverMet: mishaps.filter((name) => tally.mishaps[name]?.met === 0),
  };
}

export interface ReplayedAgent {
  readonly verdict: 'FIXED' | 'FAILED';
  /** The rule that is broken now, possibly a different rule; null for none. */
  readonly rule: AgentRule | null;
  /** The report of this run; empty if no rule is broken. */
  readonly text: string;
}

/** Replays a finding of `fuzzAgent`: `result.found`, or its JSON read from a file. Throws RangeError if it is not a finding. */
export async function replayAgent(
  agent: AgentUnderTest,
  found: FoundInAgent | object,
): Promise<ReplayedAgent> {
  const read = readFound(found);
  const run = await inWorld(agent, read, (play) => play(read.plan));
  const { broken } = run;
  if (broken === null) return { verdict: 'FIXED', rule: null, text: '' };
  return { verdict: 'FAILED', rule: broken.rule, text: failureReport({ ...run, broken }, read) };
}
