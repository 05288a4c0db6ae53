import { conformance } from './conformance.js';
import type { Reporter } from './reporters/reporter.js';
import type { ScenarioResult, SuitePlan, SuiteResult } from './results.js';
import type { Scenario } from './scenario.js';

/** Which scenarios are wanted. */
export interface Selection {
  /** One of these tags; any when empty. `!slow` leaves out those with the tag. */
  readonly tags: readonly string[];
  /** Found in the name or the id; null for any. */
  readonly grep: RegExp | null;
}

/** Plays one scenario; never rejects. */
export type PlayOne = (scenario: Scenario) => Promise<ScenarioResult>;

/** How a suite is played. */
export interface RunOptions {
  readonly plan: Omit<SuitePlan, 'scenarios'>;
  /** As many at a time as there are workers. */
  readonly play: PlayOne;
  /** Begins nothing more after so many failures; null plays all. */
  readonly bail: number | null;
  readonly reporters: readonly Reporter[];
  /** Begins nothing more when it is aborted. */
  readonly signal?: AbortSignal;
}

/** The scenarios that are wanted, in their order. */
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

/** Plays a scenario again when it failed, up to so many times while `signal` is not aborted. One that holds then says so. */
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

/** Plays scenarios and tells the reporters, in the order of the scenarios whoever is done first. */
export async function runSuite(
  scenarios: readonly Scenario[],
  { plan, play, bail, reporters, signal }: RunOptions,
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
    // All workers take from one list.
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
  await Promise.all(Array.from({ length: plan.workers }, worker));
  const durationMs = performance.now() - from;
  const suite: SuiteResult = { ...whole, startedAt, durationMs, results, rules: conformance(results) };
  for (const reporter of reporters) reporter.end(suite);
  return suite;
}
