import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CampaignInput, checkSuiteOf } from './fuzz-campaign.js';
import { scenarioOf as asScenario } from './fuzz/failure/as-scenario.js';
import { testOf } from './fuzz/failure/as-test.js';
import { type FailureFile, writeFailure } from './fuzz/failure/failure-file.js';
import { inProcessFuzz } from './drivers/in-process-fuzz.js';

export { AGENT_RULES, type AgentRule } from './agent-fuzz/checks.js';
export type { AskTrouble, BankTrouble, ShowTrouble } from './agent-fuzz/types.js';
export type { FoundInAgent } from './agent-fuzz/found.js';
export * from './agent-fuzz/fuzz-agent.js';
export {
  MISHAPS,
  type MishapKind,
  type MishapName,
  type Place as MishapPlace,
  type Trouble as MishapTrouble,
} from './agent-fuzz/mishaps.js';
export type { AgentPlan, PlannedMishap, PlannedOrder } from './agent-fuzz/plan.js';
export type * from './agent-fuzz/task.js';

export { default as fc } from 'fast-check';
export { amountNear, hostileAmount, noisyAmount, roundAmount } from './fuzz/amounts.js';
export type { CoverageRow } from './fuzz/campaign/tally.js';
export { type Approaches, GOALS } from './fuzz/campaign/goals.js';
export { type Crashed, type Summary, findsOf, missedGoals, neverSucceeded } from './fuzz/campaign/summary.js';
export { type CampaignInput, campaign } from './fuzz-campaign.js';
export {
  Bank,
  type ChangeInvariant,
  type Invariant,
  type SequenceOptions,
  calls,
  check,
  ruleOf,
} from './fuzz-check.js';
export { amount, operation, sequence, span, wallet } from './fuzz/arbitraries.js';
export { Sequence } from './fuzz/play/sequences.js';
export type { Reached } from './fuzz/campaign/tally.js';
export type { Progress } from './fuzz/campaign/campaign-state.js';
export { PROPERTIES, type Property } from './fuzz/campaign/properties.js';
export { type Command, type Drawn, byVerb } from './fuzz/commands/command.js';
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
export type { KeyedCall, KnownRequest, KnownTransaction, Memory } from './fuzz/play/model-runner.js';
export {
  type ChangeRule,
  ModelRunner,
  type ModelRunnerSnapshot,
  type Played,
  type Rule,
} from './fuzz/play/model-runner.js';
export type { Failure } from './fuzz/play/sequences.js';
export { type Member, type Shape, membersOf, valueOf } from './fuzz/shapes.js';
export type { EndpointId } from '../contract/endpoints.js';
export type { BankLimits } from '../core/domain/bank-limits.js';
export type { FuzzLimits } from './fuzz/limits.js';
export type { Variants } from '../core/domain/variants.js';
export type { Args, Json, Step } from './fuzz/step.js';
export type * from './fuzz/world.js';

/**
 * Renders a counterexample as a scenario file that fails until the rule holds again. Call it while the rule is broken: for a fixed counterexample, the scenario expects only the outcomes of the steps. Pass the custom commands and model that found it. Null if a scenario cannot express a step or the failure. It cannot express a custom rule.
 */
export function scenarioOf(
  file: FailureFile,
  options: Pick<CampaignInput, 'commands' | 'rules' | 'makeModel'> = {},
): Promise<string | null> {
  return asScenario(file, { target: inProcessFuzz, checkSuite: checkSuiteOf(options) });
}

/**
 * Saves a counterexample, such as `found` of a campaign, as `sim fuzz` does: as JSON, as a test and, if a scenario can express it, as a
 * scenario; returns the paths. One that cannot be repeated is saved as JSON only. Pass the custom commands and the model that found it. Rejects
 * with errors of the file system.
 */
export async function saveFailure(
  folder: string,
  file: FailureFile,
  options: Pick<CampaignInput, 'commands' | 'rules' | 'makeModel'> = {},
): Promise<string[]> {
  const texts: Record<string, string> = { [`${file.name}.json`]: writeFailure(file) };
  if (file.unrepeatable !== true) {
    const scenario = await scenarioOf(file, options);
    if (scenario !== null) texts[`${file.name}.yaml`] = scenario;
    texts[`${file.name}.test.ts`] = testOf(file);
  }
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  return Object.keys(texts).map((name) => join(folder, name));
}
