import { failureLine, failureText } from './reporters/failure-text.js';
import { PLAIN, type Reporter } from './reporters/reporter.js';
import type { ScenarioResult, SuitePlan, SuiteResult } from './results.js';
import type { Scenario } from './scenario.js';

/** One of several equal parts of a suite, from 1. */
interface Shard {
  readonly index: number;
  readonly count: number;
}

/** Estimates in milliseconds: per world and per step. */
const WORLD_MS = 40;
const STEP_MS = 3;
const SCRIPT_STEPS = 10;

function guess({ play }: Scenario): number {
  switch (play.kind) {
    case 'steps':
      return WORLD_MS + play.steps.length * STEP_MS;
    case 'script':
      return WORLD_MS + SCRIPT_STEPS * STEP_MS;
    case 'property':
      return play.property.runs * (WORLD_MS + play.property.steps * STEP_MS);
  }
}

export function parseShard(text: string): Shard | null {
  const [, index = '', count = ''] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  return shard.index >= 1 && shard.index <= shard.count ? shard : null;
}

/**
 * The scenarios of one shard, in order. Each scenario is in exactly one shard. Shards take about equally long: scenarios are assigned longest first, each to the least loaded shard. Equal suites give equal shards.
 */
export function shardOf(scenarios: readonly Scenario[], shard: Shard): Scenario[] {
  const timed = scenarios.map((scenario) => ({ scenario, ms: guess(scenario) }));
  timed.sort((a, b) => b.ms - a.ms || (a.scenario.id < b.scenario.id ? -1 : 1));
  const loads = Array.from({ length: shard.count }, () => 0);
  const mine = new Set<Scenario>();
  for (const { scenario, ms } of timed) {
    const least = loads.indexOf(Math.min(...loads));
    loads[least] = (loads[least] ?? 0) + ms;
    if (least === shard.index - 1) mine.add(scenario);
  }
  return scenarios.filter((scenario) => mine.has(scenario));
}

interface Selection {
  /** Has one of these tags; empty for any. `!slow` excludes a tag. */
  readonly tags: readonly string[];
  /** Matches the name or the id; null for any. */
  readonly grep: RegExp | null;
}

/** Plays one scenario; null if the run stops before it starts. Rejects only if the player itself fails. */
export type PlayOne = (scenario: Scenario) => Promise<ScenarioResult | null>;

interface RunOptions {
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
  const playing = new Set<Promise<void>>();
  let failures = 0;
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
  const playNext = async (index: number, scenario: Scenario): Promise<void> => {
    ended(index, await play(scenario));
  };
  const mayBegin = () => playing.size < parallel() && failures < most && signal?.aborted !== true;
  for (;;) {
    while (mayBegin()) {
      const { value: next } = waiting.next();
      if (next === undefined) break;
      const played = playNext(...next).finally(() => playing.delete(played));
      playing.add(played);
    }
    if (playing.size === 0) break;
    await Promise.race(playing);
  }
  const durationMs = performance.now() - from;
  const known = new Set(results.map(({ id }) => id));
  const unfinished = scenarios
    .filter(({ id }) => !known.has(id))
    .map(({ id, name }) => ({ id, name, where: interruptedAt?.get(id) ?? null }));
  const suite: SuiteResult = { ...whole, startedAt, durationMs, results, unfinished };
  for (const reporter of reporters) reporter.end?.(suite);
  return suite;
}
