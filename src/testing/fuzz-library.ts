import { type CampaignInput, checkSuiteOf } from './fuzz-campaign.js';
import { scenarioOf as asScenario } from './fuzz/failure/as-scenario.js';
import type { FailureFile } from './fuzz/failure/failure-file.js';
import type { Variants } from '../core/domain/variants.js';
import type { AgentRule } from './agent-fuzz/checks.js';
import { AGENT_VARIANTS, type FoundInAgent, readFound } from './agent-fuzz/found.js';
import { type AgentFuzzResult, fuzzAgentIn, replayAgentIn } from './agent-fuzz/fuzz-agent.js';
import { MISHAP_NAMES, type MishapName } from './agent-fuzz/mishaps.js';
import { failureReport } from './agent-fuzz/failure-report.js';
import type { AgentUnderTest } from './agent-fuzz/task.js';
import { agentSandbox } from './drivers/agent-sandbox.js';
import { inProcessFuzz } from './drivers/in-process-fuzz.js';

export { AGENT_RULES, type AgentRule } from './agent-fuzz/checks.js';
export type { AskTrouble, BankTrouble, ShowTrouble } from './agent-fuzz/types.js';
export type { FoundInAgent } from './agent-fuzz/found.js';
export type { AgentFuzzResult, MishapCount } from './agent-fuzz/fuzz-agent.js';
export {
  MISHAPS,
  type MishapKind,
  type MishapName,
  type Place as MishapPlace,
  type Trouble as MishapTrouble,
} from './agent-fuzz/mishaps.js';
export type { AgentPlan, PlannedMishap, PlannedOrder } from './agent-fuzz/plan.js';
export type * from './agent-fuzz/task.js';

export { amountNear, hostileAmount, noisyAmount, roundAmount } from './fuzz/amounts.js';
export type { Coverage, Covered, CoverageRow } from './fuzz/campaign/coverage.js';
export { type Approaches, GOALS, type Goals } from './fuzz/campaign/goals.js';
export { type Crashed, type Summary, findsOf, missedGoals, neverSucceeded } from './fuzz/campaign/summary.js';
export { type CampaignInput, campaign } from './fuzz-campaign.js';
export { Bank, type Invariant, type SequenceOptions, calls, check } from './fuzz-check.js';
export { amount, operation, sequence, span, wallet } from './fuzz/arbitraries.js';
export { Sequence } from './fuzz/play/sequences.js';
export type { Progress } from './fuzz/campaign/campaign-state.js';
export { PROPERTIES, type Property } from './fuzz/campaign/properties.js';
export type { Command, Drawn } from './fuzz/commands/command.js';
export { COMMANDS } from './fuzz/commands/commands.js';
export { callOf, playCall } from './fuzz/commands/play-call.js';
export { testOf } from './fuzz/failure/as-test.js';
export { type Replayed, type ReplayOptions, replay } from './fuzz-replay.js';
export { type Draw, chance, composed, weighted } from './fuzz/draw.js';
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
export type { EndpointId } from '../contract/endpoints.js';
export type { BankLimits } from '../core/domain/bank-limits.js';
export type { FuzzLimits } from './fuzz/limits.js';
export type { Variants } from '../core/domain/variants.js';
export type { Args, Json, Step } from './fuzz/step.js';
export type * from './fuzz/world.js';

/**
 * Renders a counterexample as a scenario file that fails until the rule holds again. Call it while the rule is broken: for a fixed counterexample, the scenario expects only the outcomes of the steps. Pass the custom commands and rules that found it. Null if a scenario can express none of the steps, or not every step that moved money.
 */
export function scenarioOf(
  file: FailureFile,
  options: Pick<CampaignInput, 'commands' | 'rules' | 'makeModel'> = {},
): Promise<string | null> {
  return asScenario(file, { target: inProcessFuzz, checkSuite: checkSuiteOf(options) });
}

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

const AGENT_RUNS = 200;
const MAX_CALLS = 500;
const MAX_WAIT_MS = 7 * 86_400_000;
const TIMEOUT_MS = 10_000;
const AGENT_ATTEMPTS = 300;

/**
 * Runs an agent in a hostile world: responses are lost, transactions hang, services send false prices, recipients and receipts. Checks the books and the chain: no order may be paid twice, overpaid or paid to the wrong recipient, and the agent must know its balances. Shrinks findings. Throws RangeError for an unknown fault name.
 */
export function fuzzAgent(agent: AgentUnderTest, options: FuzzAgentOptions = {}): Promise<AgentFuzzResult> {
  const { mishaps = MISHAP_NAMES, onProgress } = options;
  const unknown = mishaps.find((name) => !MISHAP_NAMES.includes(name));
  if (unknown !== undefined)
    throw new RangeError(`unknown mishap ${unknown}; there are ${MISHAP_NAMES.join(', ')}`);
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
  const run = await replayAgentIn(agentSandbox, agent, read);
  const { broken } = run;
  if (broken === null) return { verdict: 'FIXED', rule: null, text: '' };
  return { verdict: 'FAILED', rule: broken.rule, text: failureReport({ ...run, broken }, read.plan) };
}
