import type { Scenario } from '../scenario.js';
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
  /** When aborted, the scenario ends before its next step, and its result is skipped. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Takes over the world of a failed scenario. Returns the address where the world can be inspected, or null to close it. Default: null.
   */
  readonly keep?: (world: World) => Promise<string | null>;
  /** Renders the command that reruns a scenario alone. */
  readonly rerun: (scenario: Scenario, seed: string | null) => string;
}
