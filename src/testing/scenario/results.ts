/** One request and its answer, as it went over the wire. */
export interface Exchange {
  /** Whom it went to. */
  readonly to: 'bank' | 'control' | 'service';
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** Parsed when it is JSON, as text otherwise; null for none. */
  readonly requestBody: unknown;
  /** Null when no answer came. */
  readonly status: number | null;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: unknown;
  /** Why no answer came; null when one did. */
  readonly problem: string | null;
  readonly ms: number;
}

/** One thing that was expected and did not hold. */
export interface Mismatch {
  /** Where, such as `details.available_to_borrow` or `chain.alice.usdc`. */
  readonly path: string;
  /** In words, such as `between 1 and 2`. */
  readonly expected: string;
  readonly actual: string;
}

/** What an agent has, in token units. */
export interface Holdings {
  /** In its wallet on chain. */
  readonly wallet: { readonly usdc: number; readonly sol: number };
  /** At the bank; null where the books cannot be read. */
  readonly checking: { readonly usdc: number; readonly sol: number } | null;
  readonly savings: { readonly usdc: number; readonly sol: number } | null;
  /** Owed to the bank in USDC, collateral loans and credit lines together, without interest that is not booked. */
  readonly debtUsdc: number | null;
}

/** By the agent's name. */
export type Balances = Readonly<Record<string, Holdings>>;

export type Verdict = 'passed' | 'failed' | 'skipped';

/** What came of one step. */
export interface StepResult {
  /** Its place, from 1; steps within a step have it as `4.2`, and in the third round of a repetition as `4.3.2`. */
  readonly place: string;
  /** Such as `alice.deposit` or `time.advance`. */
  readonly title: string;
  /** What it was given, references resolved; undefined for nothing. */
  readonly args: unknown;
  /** The scenario's own words about it; null for none. */
  readonly note: string | null;
  /** In the file, from 1; null when it is not known. */
  readonly line: number | null;
  readonly verdict: Verdict;
  readonly ms: number;
  /** Of a step that held they are kept for reports that show them only. */
  readonly exchanges: readonly Exchange[];
  /** What was expected and did not hold; empty when the step passed. */
  readonly mismatches: readonly Mismatch[];
  /** Why it could not be done at all, in words; null when it could. */
  readonly problem: string | null;
  /** Why the service refused, in words and numbers, where that was not expected; null otherwise. */
  readonly explanation: string | null;
  /** Null where they were not read. */
  readonly before: Balances | null;
  readonly after: Balances | null;
  /** The world's time after it, ISO 8601; null where it cannot be asked. */
  readonly at: string | null;
  /** Journal entries and chain transactions that it led to, as the event log tells them; kept for reports that show them. */
  readonly entries: readonly Readonly<Record<string, unknown>>[];
  readonly transactions: readonly Readonly<Record<string, unknown>>[];
  /** Steps within it: rounds of a repetition, calls in parallel. */
  readonly steps: readonly StepResult[];
}

/** What came of the runs of a property. */
export interface PropertyResult {
  /** Worlds that were played. */
  readonly runs: number;
  readonly steps: number;
  readonly seed: number;
  /** How often each goal was reached, over all runs. */
  readonly goals: Readonly<Record<string, number>>;
  /** The shortest sequence that breaks it, as the text of a scenario file; null when none was found. */
  readonly counterexample: string | null;
}

/** What came of one scenario. */
export interface ScenarioResult {
  /** The file's path from the working folder, with `#2` for its second scenario. */
  readonly id: string;
  readonly file: string;
  /** Where it begins in the file, from 1. */
  readonly line: number;
  readonly name: string;
  readonly description: string | null;
  readonly tags: readonly string[];
  /** The published rules that it is about. */
  readonly covers: readonly string[];
  /** The switches of its world, such as `withdrawals=queued`. */
  readonly variants: readonly string[];
  readonly verdict: Verdict;
  /** Why it was skipped, or failed other than in a step; null otherwise. */
  readonly reason: string | null;
  readonly target: TargetName;
  readonly engine: string;
  readonly seed: string;
  readonly ms: number;
  readonly steps: readonly StepResult[];
  /** The command that runs it alone with the same seed. */
  readonly rerun: string;
  /** Null for a scripted scenario. */
  readonly property: PropertyResult | null;
}

export type TargetName = 'in-process' | 'http' | 'deployed';

/** How a published rule fared: held in every scenario that covers it, broken in one, or in none that could be played. */
export interface RuleResult {
  readonly rule: string;
  /** What the rule says. */
  readonly sentence: string;
  readonly outcome: 'held' | 'broken' | 'not testable here' | 'not covered';
  /** Ids of the scenarios that cover it. */
  readonly scenarios: readonly string[];
}

/** What is to be played. */
export interface SuitePlan {
  readonly scenarios: number;
  readonly target: TargetName;
  readonly engine: string;
  readonly workers: number;
  /** `1/3`; null when all are played. */
  readonly shard: string | null;
}

/** What came of all of it. */
export interface SuiteResult extends SuitePlan {
  /** When it began, ISO 8601 in real time. */
  readonly startedAt: string;
  /** Real milliseconds. */
  readonly durationMs: number;
  /** In the order of their files, however they were played. */
  readonly results: readonly ScenarioResult[];
  readonly rules: readonly RuleResult[];
}

/** Counts by verdict. */
export function tally(results: readonly ScenarioResult[]): Record<Verdict, number> {
  const counts: Record<Verdict, number> = { passed: 0, failed: 0, skipped: 0 };
  for (const { verdict } of results) counts[verdict] += 1;
  return counts;
}

/** All steps of a scenario in their order, also those within others. */
export function everyStep(steps: readonly StepResult[]): StepResult[] {
  return steps.flatMap((step) => [step, ...everyStep(step.steps)]);
}
