import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { NATIVE_BUILDS } from '../chain/engines/native.js';
import { packageVersion } from '../core/package-root.js';
import type { Progress } from './fuzz/campaign/campaign.js';
import type { CorpusEntry } from './fuzz/campaign/corpus.js';
import { PROPERTIES, weighted } from './fuzz/campaign/properties.js';
import { failureOf } from './fuzz/campaign/refine.js';
import { runCampaign } from './fuzz/campaign/run-campaign.js';
import type { Summary } from './fuzz/campaign/summary.js';
import type { Command } from './fuzz/commands/command.js';
import { scenarioOf as asScenario } from './fuzz/failure/as-scenario.js';
import { COMMANDS } from './fuzz/commands/commands.js';
import { misfit } from './fuzz/commands/step-schemas.js';
import { type FailureFile, UnreadableFailure, readFailure } from './fuzz/failure/failure-file.js';
import type { CheckSuite } from './fuzz/failure/replay.js';
import { Model } from './fuzz/model/model.js';
import type { ServiceModel, ModelConfig } from './fuzz/model/types.js';
import { type Failure, type Rule, ruleName } from './fuzz/play/sequence.js';
import type { FuzzEngine, FuzzTransport, WorldOptions } from './fuzz/world.js';
import type { BankLimits } from '../core/domain/bank-limits.js';
import type { Variants } from '../core/domain/variants.js';
import type { Step } from './fuzz/step.js';
import type { AgentRule } from './fuzz/agent/checks.js';
import { AGENT_VARIANTS, type FoundInAgent, readFound } from './fuzz/agent/found.js';
import { type AgentFuzzResult, fuzzAgentIn, replayAgentIn } from './fuzz/agent/fuzz-agent.js';
import { MISHAP_NAMES, type MishapName } from './fuzz/agent/mishaps.js';
import { failureReport } from './fuzz/agent/failure-report.js';
import type { AgentUnderTest } from './fuzz/agent/task.js';
import { agentSandbox } from './drivers/agent-sandbox.js';
import { inProcessFuzz } from './drivers/in-process-fuzz.js';

export { AGENT_RULES, type AgentRule } from './fuzz/agent/checks.js';
export type { AskTrouble, BankTrouble, ShowTrouble } from './fuzz/agent/types.js';
export type { FoundInAgent } from './fuzz/agent/found.js';
export type { AgentFuzzResult, MishapCount } from './fuzz/agent/fuzz-agent.js';
export {
  MISHAPS,
  type MishapKind,
  type MishapName,
  type Place as MishapPlace,
  type Trouble as MishapTrouble,
} from './fuzz/agent/mishaps.js';
export type { AgentPlan, PlannedMishap, PlannedOrder } from './fuzz/agent/plan.js';
export type * from './fuzz/agent/task.js';

export { amountNear, hostileAmount, noisyAmount, roundAmount } from './fuzz/amounts.js';
export type { Coverage, Covered } from './fuzz/campaign/coverage.js';
export { type Approaches, GOALS, type Goals } from './fuzz/campaign/goals.js';
export { type Summary, findsOf, missedGoals } from './fuzz/campaign/summary.js';
export type { Progress } from './fuzz/campaign/campaign.js';
export { PROPERTIES, type Property } from './fuzz/campaign/properties.js';
export type { Command, Drawn } from './fuzz/commands/command.js';
export { COMMANDS } from './fuzz/commands/commands.js';
export { callOf, playCall } from './fuzz/commands/play-call.js';
export { testOf } from './fuzz/failure/as-test.js';
export { Random } from './fuzz/random.js';
export {
  type FailureFile,
  UnreadableFailure,
  readFailure,
  writeFailure,
} from './fuzz/failure/failure-file.js';
export { Model } from './fuzz/model/model.js';
export {
  type BodyDifference,
  type Deviation,
  type Difference,
  type OrderTried,
  type Wanted,
  deviationText,
} from './fuzz/model/difference.js';
export type * from './fuzz/model/types.js';
export type { CorpusEntry } from './fuzz/campaign/corpus.js';
export type { KeyedCall, KnownRequest, KnownTransaction, Memory, ValueSource } from './fuzz/play/memory.js';
export {
  ModelRunner,
  type ModelRunnerSnapshot,
  type Overlapped,
  type Played,
} from './fuzz/play/model-runner.js';
export type { Failure, Rule } from './fuzz/play/sequence.js';
export { type Member, type Shape, membersOf, valueOf } from './fuzz/shapes.js';
export type { BankLimits } from '../core/domain/bank-limits.js';
export type { Variants } from '../core/domain/variants.js';
export type { Args, Json, Step } from './fuzz/step.js';
export type * from './fuzz/world.js';

/** Options of a fuzz campaign; all are optional. */
export interface CampaignInput {
  /** Where to look: a name from PROPERTIES. Default: `everything`. */
  readonly property?: string;
  /** Number of sequences. Default: 1,000, or as many as fit when a time budget is given. */
  readonly runs?: number;
  /** Maximum steps per sequence. Default: 60. */
  readonly steps?: number;
  /** Number of agents, 1 to 8. Default: 3. */
  readonly agents?: number;
  /** Real milliseconds after which no new sequence begins. */
  readonly timeBudgetMs?: number;
  /** Integer seed; the same seed plays the same sequences. Default: 1. */
  readonly seed?: number;
  /** Default: `litesvm`. */
  readonly engine?: FuzzEngine;
  /** Default: `direct`. */
  readonly transport?: FuzzTransport;
  readonly variants?: Partial<Variants>;
  /** Limits of the bank other than the published ones. */
  readonly limits?: Partial<BankLimits>;
  /** Draw only these commands. */
  readonly only?: readonly string[];
  /** Relative frequency by command: 0 means never; commands not listed keep their weight. */
  readonly weights?: Readonly<Record<string, number>>;
  /** Custom commands, in addition to the service's; one with the name of a built-in command replaces it. */
  readonly commands?: readonly Command[];
  /** Custom rules, checked after every step. */
  readonly rules?: readonly Rule[];
  /** Replaces the built-in model of the service. */
  readonly makeModel?: (modelConfig: ModelConfig) => ServiceModel;
  /** Sequences to start from. */
  readonly corpus?: readonly CorpusEntry[];
  /** The result of a campaign with the same options that ended early: this one goes on with it, and its result includes it. */
  readonly earlier?: Summary;
  /** Which share of the runs to play; `index` counts from 0. */
  readonly share?: { readonly index: number; readonly count: number };
  /** Maximum sequences to play while shrinking a counterexample. Default: 2,000. */
  readonly shrinkAttempts?: number;
  /** Maximum real milliseconds of shrinking a counterexample. Default: 60,000. */
  readonly shrinkTimeMs?: number;
  /** Ends after so many counterexamples, each of another rule or shape. Default: 1. */
  readonly maxFinds?: number;
  /** Kinds of failures that are no findings: `failure.kind` in full, or how it begins. */
  readonly ignore?: readonly string[];
  /** Counterexamples that need not be found again. */
  readonly known?: readonly FailureFile[];
  /** Called after each sequence; return false to end the campaign. */
  readonly onProgress?: (progress: Progress) => boolean | void;
  /** Called when a failure is found, before it is shrunk. */
  readonly onFound?: (failure: Failure) => void;
  /** Called with each counterexample, before the campaign goes on. */
  readonly onKept?: (file: FailureFile) => void | Promise<void>;
  /** Aborting it ends the campaign after the current sequence; a failure found is then not shrunk. */
  readonly signal?: AbortSignal;
}

const DEFAULT_RUNS = 1_000;
const DEFAULT_STEPS = 60;
const DEFAULT_AGENTS = 3;
const DEFAULT_ATTEMPTS = 2_000;
const DEFAULT_SHRINK_MS = 60_000;

/** Versions of this package and of its dependencies. */
function software(): Record<string, string> {
  const engines = Object.entries(NATIVE_BUILDS).map(([name, { version }]) => [name, version]);
  return { 'agent-bank-sim': packageVersion(), node: process.version, ...Object.fromEntries(engines) };
}

function commandsWith(own: readonly Command[]): readonly Command[] {
  const names = new Set(own.map(({ name }) => name));
  return [...COMMANDS.filter(({ name }) => !names.has(name)), ...own];
}

function judgesOf({
  commands = [],
  rules = [],
  makeModel,
}: Pick<CampaignInput, 'commands' | 'rules' | 'makeModel'>): CheckSuite {
  return {
    commands: commandsWith(commands),
    rules,
    makeModel: makeModel ?? ((modelConfig) => new Model(modelConfig)),
    isOwnModel: makeModel !== undefined,
  };
}

function propertyOf(name: string) {
  const property = PROPERTIES.find((each) => each.name === name);
  if (property === undefined)
    throw new RangeError(
      `there is no property ${name}; there are ${PROPERTIES.map((each) => each.name).join(', ')}`,
    );
  return property;
}

function checkNames(names: readonly string[], commands: readonly Command[]): void {
  const unknown = names.find((name) => commands.every((command) => command.name !== name));
  if (unknown !== undefined)
    throw new RangeError(
      `there is no command ${unknown}; there are ${commands.map(({ name }) => name).join(', ')}`,
    );
}

/**
 * Plays random sequences of commands and checks every answer against a model of the service, until `maxFinds` break a rule or the runs or the
 * time budget are used up. A failing sequence is shrunk, and replayed in fresh worlds of both engines. Throws RangeError for unknown names.
 */
export async function campaign(input: CampaignInput = {}): Promise<Summary> {
  const { only = [], weights = {}, timeBudgetMs, seed = 1, property = 'everything' } = input;
  const checkSuite = judgesOf(input);
  checkNames([...only, ...Object.keys(weights)], checkSuite.commands);
  const begunMs = performance.now();
  const world: WorldOptions = {
    engine: input.engine ?? 'litesvm',
    transport: input.transport ?? 'direct',
    seed: 'fuzz',
    variants: input.variants ?? {},
    ...(input.limits === undefined ? {} : { limits: input.limits }),
  };
  return runCampaign(inProcessFuzz, {
    property,
    checkSuite,
    drawn: weighted(checkSuite.commands, propertyOf(property), { only, weights }),
    world,
    runs: input.runs ?? (timeBudgetMs === undefined ? DEFAULT_RUNS : null),
    steps: input.steps ?? DEFAULT_STEPS,
    agents: input.agents ?? DEFAULT_AGENTS,
    seed,
    share: input.share ?? { index: 0, count: 1 },
    corpus: input.corpus ?? [],
    earlier: input.earlier ?? null,
    shrinkAttempts: input.shrinkAttempts ?? DEFAULT_ATTEMPTS,
    shrinkTimeMs: input.shrinkTimeMs ?? DEFAULT_SHRINK_MS,
    maxFinds: input.maxFinds ?? 1,
    ignored: input.ignore ?? [],
    known: input.known ?? [],
    software: software(),
    now: () => performance.now(),
    onFound: ({ failure }) => input.onFound?.(failure),
    onKept: (file) => input.onKept?.(file),
    pause: () => setImmediate(),
    isStopped: () => input.signal?.aborted === true,
    goOn: (progress) =>
      input.onProgress?.(progress) !== false &&
      input.signal?.aborted !== true &&
      (timeBudgetMs === undefined || performance.now() - begunMs < timeBudgetMs),
  });
}

/**
 * Renders a counterexample as a scenario file that fails until the rule holds again. Call it while the rule is broken: of a counterexample
 * that is fixed, only the outcomes of its steps are expected. Pass the custom commands and rules that it was found with.
 */
export function scenarioOf(
  file: FailureFile,
  options: Pick<CampaignInput, 'commands' | 'rules' | 'makeModel'> = {},
): Promise<string> {
  return asScenario(file, { target: inProcessFuzz, checkSuite: judgesOf(options) });
}

/** Result of replaying a counterexample. */
export interface Replayed {
  /** FIXED when every rule holds now; UNCHECKED when all do but the one that found it, which was not given. */
  readonly verdict: 'FIXED' | 'FAILED' | 'UNCHECKED';
  /** How it fails; null when it passes. */
  readonly failure: Failure | null;
  /** What it was found by and is not given, such as `the rule noLargeSavings`. */
  readonly missing?: string;
}

/** What a counterexample was found by, if it is not given. */
function missingFor(
  { failure, ownModel }: FailureFile,
  { rules = [], makeModel }: Pick<CampaignInput, 'rules' | 'makeModel'>,
): string | null {
  if (failure.rule !== undefined && !rules.map(ruleName).includes(failure.rule))
    return `the rule ${failure.rule}`;
  return ownModel === true && makeModel === undefined ? 'a model' : null;
}

/**
 * Replays a counterexample in a world like the one it was found in, or on another engine. Pass the custom commands and rules it was found
 * with. Throws UnreadableFailure, also for a step that does not fit its command, and RangeError for an unknown command.
 */
export async function replay(
  file: FailureFile | string,
  options: Pick<CampaignInput, 'commands' | 'rules' | 'makeModel' | 'engine'> = {},
): Promise<Replayed> {
  const read = typeof file === 'string' ? readFailure(readFileSync(file, 'utf8'), file) : file;
  const world = read.world as WorldOptions;
  const checkSuite = judgesOf(options);
  const steps = read.steps as readonly Step[];
  for (const [at, step] of steps.entries()) {
    const wrong = misfit(step, checkSuite.commands);
    if (wrong !== null) throw new UnreadableFailure(`${read.name} is damaged at steps.${at}: ${wrong}`);
  }
  const failure = await failureOf(steps, {
    target: inProcessFuzz,
    world: { ...world, engine: options.engine ?? world.engine },
    agents: read.agents,
    checkSuite,
  });
  if (failure !== null) return { verdict: 'FAILED', failure };
  const missing = missingFor(read, options);
  return missing === null ? { verdict: 'FIXED', failure } : { verdict: 'UNCHECKED', failure, missing };
}

/** Options for fuzzing an agent; all are optional. */
export interface FuzzAgentOptions {
  /** Number of runs. Default: 200. The first injects no faults. */
  readonly runs?: number;
  /** Integer seed; the same seed plans the same runs. Default: 1. */
  readonly seed?: number;
  /** Whether giving up breaks a rule although no permanent fault prevents success. Default: false; in the run without faults, true. */
  readonly mustSucceed?: boolean;
  /** Variants of the bank. Default: `{ paymentRequests: 'repeatedly' }`, or agents that pay twice would be refused. */
  readonly variants?: Partial<Variants>;
  /** Inject only these faults. */
  readonly mishaps?: readonly MishapName[];
  /** Maximum requests and waits per run. Default: 500. */
  readonly maxCalls?: number;
  /** Maximum simulated milliseconds that the agent may wait per run. Default: seven days. */
  readonly maxWaitMs?: number;
  /** Maximum real milliseconds per run. Default: 10,000. */
  readonly timeoutMs?: number;
  /** Maximum plans to play while shrinking a finding. Default: 300. */
  readonly shrinkAttempts?: number;
  /** Called after each run with the number of runs so far; return false to stop. */
  readonly onProgress?: (runs: number) => boolean | void;
}

const AGENT_RUNS = 200;
const MAX_CALLS = 500;
const MAX_WAIT_MS = 7 * 86_400_000;
const TIMEOUT_MS = 10_000;
const AGENT_ATTEMPTS = 300;

/**
 * Runs an agent in a hostile world: answers are lost, transactions hang, services lie about prices, recipients and receipts. Checks
 * against the books and the chain that no order is paid twice, overpaid or paid to the wrong recipient, and that the agent keeps track of
 * its money. A finding is shrunk. Throws RangeError for an unknown fault name.
 */
export function fuzzAgent(agent: AgentUnderTest, options: FuzzAgentOptions = {}): Promise<AgentFuzzResult> {
  const { mishaps = MISHAP_NAMES, onProgress } = options;
  const unknown = mishaps.find((name) => !MISHAP_NAMES.includes(name));
  if (unknown !== undefined)
    throw new RangeError(`there is no mishap ${unknown}; there are ${MISHAP_NAMES.join(', ')}`);
  return fuzzAgentIn(agentSandbox, agent, {
    runs: options.runs ?? AGENT_RUNS,
    seed: options.seed ?? 1,
    mustSucceed: options.mustSucceed ?? false,
    limits: {
      calls: options.maxCalls ?? MAX_CALLS,
      waitMs: options.maxWaitMs ?? MAX_WAIT_MS,
      realMs: options.timeoutMs ?? TIMEOUT_MS,
    },
    variants: { ...AGENT_VARIANTS, ...options.variants },
    names: mishaps,
    shrinkAttempts: options.shrinkAttempts ?? AGENT_ATTEMPTS,
    goOn: (runs) => onProgress?.(runs) !== false,
  });
}

/** Result of replaying a finding. */
export interface ReplayedAgent {
  readonly verdict: 'FIXED' | 'FAILED';
  /** The rule that is broken now, possibly a different one; null for none. */
  readonly rule: AgentRule | null;
  /** The report of this run; empty when no rule is broken. */
  readonly text: string;
}

/** Replays a finding of `fuzzAgent`: `result.found`, or its JSON read from a file. Throws RangeError if it is not a finding. */
export async function replayAgent(
  agent: AgentUnderTest,
  found: FoundInAgent | object,
): Promise<ReplayedAgent> {
  const read = readFound(found);
  const run = await replayAgentIn(agentSandbox, agent, read);
  const { broken } = run;
  if (broken === null) return { verdict: 'FIXED', rule: null, text: '' };
  return { verdict: 'FAILED', rule: broken.rule, text: failureReport({ ...run, broken }, read.plan) };
}
