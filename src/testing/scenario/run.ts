import { failureLine, failureText } from './reporters/failure-text.js';
import { PLAIN } from './reporters/paint.js';
import type { Reporter } from './reporters/reporter.js';
import type { ScenarioResult, SuitePlan, SuiteResult } from './results.js';
import type { Scenario } from './scenario.js';

export interface Selection {
  /** Has one of these tags; empty for any. `!slow` excludes a tag. */
  readonly tags: readonly string[];
  /** Matches the name or the id; null for any. */
  readonly grep: RegExp | null;
}

/** Plays one scenario; null if the run stops before it starts. Rejects only if the player itself fails. */
export type PlayOne = (scenario: Scenario) => Promise<ScenarioResult | null>;

export interface RunOptions {
  readonly plan: Omit<SuitePlan, 'scenarios'>;
  readonly play: PlayOne;
  /** Current number of scenarios in parallel; default: one per worker. */
  readonly parallel?: () => number;
  /** Number of failures after which no more scenarios start; null for no limit. */
  readonly bail: number | null;
  readonly reporters: readonly Reporter[];
  /** When aborted, no more scenarios start. */
  readonly signal?: AbortSignal;
  /** By its id, where a scenario was that an interrupt ended; filled in while the suite is played. */
  readonly interruptedAt?: ReadonlyMap<string, string>;
}

/** Columns of the text of a first failure. */
const COLUMNS = 100;

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

/** Retries a failed scenario up to `retries` times, until `signal` is aborted. The result mentions them. */
export function withRetries(play: PlayOne, retries: number, signal?: AbortSignal): PlayOne {
  return async (scenario) => {
    const first = await play(scenario);
    let result = first;
    let attempts = 1;
    while (result?.verdict === 'failed' && attempts <= retries) {
      const again = signal?.aborted === true ? null : await play(scenario);
      if (again === null) break;
      result = again;
      attempts += 1;
    }
    if (first === null || result === null || attempts === 1) return result;
    if (result.verdict === 'passed') {
      const reason = `failed before, passed on attempt ${attempts}: ${failureLine(first)}`;
      return { ...result, reason, firstFailure: failureText(first, { columns: COLUMNS, paint: PLAIN }) };
    }
    if (result.verdict === 'skipped') return result;
    const failed = `failed on each of ${attempts} attempts`;
    return { ...result, reason: result.reason === null ? failed : `${result.reason}; ${failed}` };
  };
}

/** Plays scenarios and notifies the reporters. The results are in scenario order. */
export async function runSuite(
  scenarios: readonly Scenario[],
  { plan, play, parallel = () => plan.workers, bail, reporters, signal, interruptedAt }: RunOptions,
): Promise<SuiteResult> {
  const startedAt = new Date().toISOString();
  const from = performance.now();
  const whole: SuitePlan = { ...plan, scenarios: scenarios.length };
  for (const reporter of reporters) reporter.begin?.(whole);
  // By the scenario's index; null for a scenario that was not started.
  const done: (ScenarioResult | null)[] = [];
  const results: ScenarioResult[] = [];
  const most = bail ?? Infinity;
  const waiting = scenarios.entries();
  let failures = 0;
  let playing = 0;
  let reported = 0;
  const ended = (index: number, result: ScenarioResult | null): void => {
    if (result?.verdict === 'failed') failures += 1;
    done[index] = result;
    for (let next = done[reported]; next !== undefined; next = done[reported]) {
      reported += 1;
      if (next === null) continue;
      results.push(next);
      for (const reporter of reporters) reporter.ended?.(next);
    }
  };
  const mayBegin = () => playing < parallel() && failures < most && signal?.aborted !== true;
  await new Promise<void>((resolve, reject) => {
    const playNext = async (index: number, scenario: Scenario): Promise<void> => {
      playing += 1;
      const result = await play(scenario);
      playing -= 1;
      ended(index, result);
      begin();
    };
    const begin = (): void => {
      while (mayBegin()) {
        const { value: next } = waiting.next();
        if (next === undefined) break;
        playNext(...next).catch(reject);
      }
      if (playing === 0) resolve();
    };
    begin();
  });
  const durationMs = performance.now() - from;
  const known = new Set(results.map(({ id }) => id));
  const unfinished = scenarios
    .filter(({ id }) => !known.has(id))
    .map(({ id, name }) => ({ id, name, where: interruptedAt?.get(id) ?? null }));
  const suite: SuiteResult = { ...whole, startedAt, durationMs, results, unfinished };
  for (const reporter of reporters) reporter.end?.(suite);
  return suite;
}
