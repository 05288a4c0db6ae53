import { conformance } from './conformance.js';
import type { Reporter } from './reporters/reporter.js';
import type { ScenarioResult, SuitePlan, SuiteResult } from './results.js';
import type { Scenario } from './scenario.js';

/** Filter for scenarios. */
export interface Selection {
  /** Has one of these tags; empty for any. `!slow` excludes a tag. */
  readonly tags: readonly string[];
  /** Matches the name or the id; null for any. */
  readonly grep: RegExp | null;
}

/** Plays one scenario; never rejects. */
export type PlayOne = (scenario: Scenario) => Promise<ScenarioResult>;

/** Options of a suite run. */
export interface RunOptions {
  readonly plan: Omit<SuitePlan, 'scenarios'>;
  readonly play: PlayOne;
  /** How many scenarios are played at once; default: one by each worker. */
  readonly parallel?: number;
  /** Number of failures after which no more scenarios start; null for no limit. */
  readonly bail: number | null;
  readonly reporters: readonly Reporter[];
  /** Aborting it starts no more scenarios. */
  readonly signal?: AbortSignal;
}

/** Filters scenarios, keeping their order. */
export function selected(scenarios: readonly Scenario[], { tags, grep }: Selection): Scenario[] {
  const wanted = tags.filter((tag) => !tag.startsWith('!'));
  const unwanted = tags.filter((tag) => tag.startsWith('!')).map((tag) => tag.slice(1));
  return scenarios.filter(
    (scenario) =>
      (wanted.length === 0 || wanted.some((tag) => scenario.tags.includes(tag))) &&
      !unwanted.some((tag) => scenario.tags.includes(tag)) &&
      (grep === null || grep.test(scenario.name) || grep.test(scenario.id)),
  );
}

/** Retries a failed scenario up to `retries` times, until `signal` is aborted. A success then mentions the retries. */
export function withRetries(play: PlayOne, retries: number, signal?: AbortSignal): PlayOne {
  return async (scenario) => {
    let result = await play(scenario);
    for (let retry = 1; retry <= retries && result.verdict === 'failed'; retry += 1) {
      if (signal?.aborted === true) break;
      result = await play(scenario);
      if (result.verdict === 'passed')
        return { ...result, reason: `failed before, held at try ${retry + 1}` };
    }
    return result;
  };
}

/** Plays scenarios and notifies the reporters, in scenario order whichever finishes first. */
export async function runSuite(
  scenarios: readonly Scenario[],
  { plan, play, parallel = plan.workers, bail, reporters, signal }: RunOptions,
): Promise<SuiteResult> {
  const startedAt = new Date().toISOString();
  const from = performance.now();
  const whole: SuitePlan = { ...plan, scenarios: scenarios.length };
  for (const reporter of reporters) reporter.begin(whole);
  const done = new Map<number, ScenarioResult>();
  const results: ScenarioResult[] = [];
  const most = bail ?? Infinity;
  const waiting = scenarios.entries();
  let failures = 0;
  const worker = async (): Promise<void> => {
    // All workers share one queue.
    for (const [index, scenario] of waiting) {
      if (failures >= most || signal?.aborted === true) return;
      const result = await play(scenario);
      if (result.verdict === 'failed') failures += 1;
      done.set(index, result);
      for (let told = done.get(results.length); told !== undefined; told = done.get(results.length)) {
        results.push(told);
        for (const reporter of reporters) reporter.ended(told);
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  const durationMs = performance.now() - from;
  const suite: SuiteResult = { ...whole, startedAt, durationMs, results, rules: conformance(results) };
  for (const reporter of reporters) reporter.end(suite);
  return suite;
}
