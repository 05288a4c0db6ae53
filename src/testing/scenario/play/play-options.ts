import { DEFAULT_SEED } from '../../../runtime/config.js';
import type { ScenarioResult } from '../results.js';
import { type Scenario, aboutOf } from '../scenario.js';
import type { Target, World } from '../target.js';

export interface PlayOptions {
  readonly target: Target;
  /** Chain engine, unless the scenario sets one. */
  readonly engine: 'bankrun' | 'litesvm';
  /** Seed, unless the scenario sets one; null for the default seed. */
  readonly seed: string | null;
  /** Whether to also retain requests, balances, entries and transactions of passed steps. */
  readonly isDetailed: boolean;
  readonly timeoutMs: number;
  /** When aborted, the scenario ends before its next step, or is left if its step takes too long; its result is skipped. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Takes over the world of a failed scenario. Returns the address where the world can be inspected, or null to close it. Default: null.
   */
  readonly keep?: (world: World) => Promise<string | null>;
  /** Renders the command that reruns a scenario alone. */
  readonly rerun: (scenario: Scenario, seed: string | null) => string;
}

/** What a result has before anything is played. */
export function unplayed(
  scenario: Scenario,
  { target, engine, seed }: PlayOptions,
): Omit<ScenarioResult, 'verdict' | 'reason' | 'ms' | 'steps' | 'rerun'> {
  const isDeployed = target.name === 'deployed';
  return {
    ...aboutOf(scenario),
    property: null,
    inspector: null,
    firstFailure: null,
    seed: isDeployed ? null : String(scenario.world.seed ?? seed ?? DEFAULT_SEED),
    target: target.name,
    engine: isDeployed ? null : (scenario.world.engine ?? engine),
  };
}
