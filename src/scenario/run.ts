import { conformance } from './conformance.js';
import { type PlayOptions, playScenario } from './play/play.js';
import type { Reporter } from './reporters/reporter.js';
import type { ScenarioResult, SuiteResult } from './results.js';
import type { Scenario } from './scenario.js';

/** Which scenarios are wanted. */
export interface Selection {
  /** One of these tags; any when empty. `!slow` leaves out those with the tag. */
  readonly tags: readonly string[];
  /** Found in the name or the id; null for any. */
  readonly grep: RegExp | null;
}

/** How a suite is played. */
export interface RunOptions {
  readonly play: PlayOptions;
  /** Stops after so many failures; null plays all. */
  readonly bail: number | null;
  readonly reporters: readonly Reporter[];
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

/** Plays scenarios one after another and tells the reporters. */
export async function runSuite(
  scenarios: readonly Scenario[],
  { play, bail, reporters }: RunOptions,
): Promise<SuiteResult> {
  const startedAt = new Date().toISOString();
  const from = performance.now();
  const plan = {
    scenarios: scenarios.length,
    target: play.target.name,
    engine: play.engine,
    workers: 1,
    shard: null,
  };
  for (const reporter of reporters) reporter.begin(plan);
  const results: ScenarioResult[] = [];
  let failures = 0;
  for (const scenario of scenarios) {
    const result = await playScenario(scenario, play);
    results.push(result);
    for (const reporter of reporters) reporter.ended(result);
    if (result.verdict === 'failed') failures += 1;
    if (bail !== null && failures >= bail) break;
  }
  const durationMs = performance.now() - from;
  const suite: SuiteResult = { ...plan, startedAt, durationMs, results, rules: conformance(results) };
  for (const reporter of reporters) reporter.end(suite);
  return suite;
}
