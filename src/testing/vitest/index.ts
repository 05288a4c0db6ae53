import { addMatchers } from './matchers.js';

export type { BankMatchers, ExpectedBalances } from './matchers.js';
export type {
  Exchange,
  Mismatch,
  PropertyResult,
  ScenarioResult,
  StepResult,
  TargetName,
  Verdict,
} from '../scenario/results.js';
export { type ScenarioTestOptions, scenarioTests } from './scenario-tests.js';
export { type WorldFixtures, test } from './world.js';

addMatchers();
