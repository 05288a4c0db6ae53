/** A request and its response, as sent over the wire. */
export interface Exchange {
  readonly to: 'bank' | 'control' | 'service';
  readonly method: string;
  readonly path: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** Parsed if it is JSON, else text; null for none. */
  readonly requestBody: unknown;
  /** Null without a response. */
  readonly status: number | null;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: unknown;
  /** The reason why there is no response; otherwise null. */
  readonly problem: string | null;
  readonly ms: number;
}

export interface Mismatch {
  /** Path of the value, such as `details.available_to_borrow` or `chain.alice.usdc`. */
  readonly path: string;
  /** In words, such as `between 1 and 2`. */
  readonly expected: string;
  readonly actual: string;
}

/** An agent's holdings, in token units. */
export interface Holdings {
  /** Wallet balances on chain. */
  readonly wallet: { readonly usdc: number; readonly sol: number };
  /** Balances at the bank; null where the books cannot be read. */
  readonly checking: { readonly usdc: number; readonly sol: number } | null;
  readonly savings: { readonly usdc: number; readonly sol: number } | null;
  /** Debt to the bank in USDC: collateral loans and credit lines, without interest not yet booked. */
  readonly debtUsdc: number | null;
}

/** By the agent's name. */
export type Balances = Readonly<Record<string, Holdings>>;

export type Verdict = 'passed' | 'failed' | 'skipped';

export interface StepResult {
  /** Number from 1; nested steps are `4.2`, and in the third round of a repetition `4.3.2`. */
  readonly place: string;
  /** Such as `alice.deposit` or `time.advance`. */
  readonly title: string;
  /** Arguments with references resolved; undefined for none. */
  readonly args: unknown;
  /** The scenario's note on the step; null for none. */
  readonly note: string | null;
  /** Line in the file, from 1; null if unknown. */
  readonly line: number | null;
  readonly verdict: Verdict;
  readonly ms: number;
  /** For passed steps, retained only for reports that show them. */
  readonly exchanges: readonly Exchange[];
  /** Failed expectations; empty if the step passed. */
  readonly mismatches: readonly Mismatch[];
  /** The reason why it could not be executed; otherwise null. */
  readonly problem: string | null;
  /** Explanation of an unexpected refusal, with figures; otherwise null. */
  readonly explanation: string | null;
  /** Null if not read. */
  readonly before: Balances | null;
  readonly after: Balances | null;
  /** World time after the step, ISO 8601; null if unknown. */
  readonly at: string | null;
  /** Resulting journal entries and chain transactions from the event log; retained for reports that show them. */
  readonly entries: readonly Readonly<Record<string, unknown>>[];
  readonly transactions: readonly Readonly<Record<string, unknown>>[];
  /** Nested steps: rounds of a repetition, parallel calls. */
  readonly steps: readonly StepResult[];
}

/** What the result of a step has when nothing was sent, found or read. */
export const NOTHING_DONE = {
  exchanges: [],
  mismatches: [],
  problem: null,
  steps: [],
  ms: 0,
  explanation: null,
  before: null,
  after: null,
  at: null,
  entries: [],
  transactions: [],
} as const;

export interface PropertyResult {
  readonly runs: number;
  readonly steps: number;
  readonly seed: number;
  /** How often each goal was reached, over all runs. */
  readonly goals: Readonly<Record<string, number>>;
  /** The shortest failing sequence, as a scenario file; null if none was found. */
  readonly counterexample: string | null;
}

export interface ScenarioResult {
  /** The file's path relative to the working directory, with `#2` for its second scenario. */
  readonly id: string;
  readonly file: string;
  /** Line in the file where it starts, from 1. */
  readonly line: number;
  readonly name: string;
  readonly description: string | null;
  readonly tags: readonly string[];
  /** The variants of its world, such as `withdrawals=queued`. */
  readonly variants: readonly string[];
  readonly verdict: Verdict;
  /** The reason why it was skipped or failed outside a step; otherwise null. */
  readonly reason: string | null;
  /** The report of the first failure, if it passed after a retry; otherwise null. */
  readonly firstFailure: string | null;
  readonly target: TargetName;
  /** Null at a deployed service, as is the seed. */
  readonly engine: string | null;
  readonly seed: string | null;
  readonly ms: number;
  readonly steps: readonly StepResult[];
  /** Command that reruns it alone with the same seed. */
  readonly rerun: string;
  /** The address of the inspector with its world after its failed step; null unless the world is kept. */
  readonly inspector: string | null;
  /** Null for a scripted scenario. */
  readonly property: PropertyResult | null;
}

export type TargetName = 'in-process' | 'http' | 'deployed';

export interface SuitePlan {
  readonly scenarios: number;
  readonly target: TargetName;
  /** Null at a deployed service. */
  readonly engine: string | null;
  readonly workers: number;
  /** `1/3`; null without sharding. */
  readonly shard: string | null;
}

export interface SuiteResult extends SuitePlan {
  /** Start in real time, ISO 8601. */
  readonly startedAt: string;
  /** Real milliseconds. */
  readonly durationMs: number;
  /** In file order, whatever the order of execution. */
  readonly results: readonly ScenarioResult[];
  /** Those without a result, in file order. */
  readonly unfinished: readonly UnfinishedScenario[];
}

export interface UnfinishedScenario {
  readonly id: string;
  readonly name: string;
  /** Where an interrupt ended it, such as `interrupted, at step 3 (alice.account, line 4)`; null if it did not begin, or its process did not respond. */
  readonly where: string | null;
}

export function tally(results: readonly ScenarioResult[]): Record<Verdict, number> {
  const counts: Record<Verdict, number> = { passed: 0, failed: 0, skipped: 0 };
  for (const { verdict } of results) counts[verdict] += 1;
  return counts;
}

/** How many passed only after a retry. */
export function flakyCount(results: readonly ScenarioResult[]): number {
  return results.filter(({ firstFailure }) => firstFailure !== null).length;
}

/** The tally of a verdict, such as `2 passed (1 flaky)`. */
export function tallyText(results: readonly ScenarioResult[], verdict: Verdict): string {
  const flaky = flakyCount(results);
  const text = `${tally(results)[verdict]} ${verdict}`;
  return verdict === 'passed' && flaky > 0 ? `${text} (${flaky} flaky)` : text;
}

/** All steps of a scenario in order, including nested ones. */
export function everyStep(steps: readonly StepResult[]): StepResult[] {
  return steps.flatMap((step) => [step, ...everyStep(step.steps)]);
}
