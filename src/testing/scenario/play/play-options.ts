import type { Scenario } from '../scenario.js';
import type { Target, World } from '../target.js';

export interface PlayOptions {
  readonly target: Target;
  /** Chain engine, unless the scenario sets one. */
  readonly engine: 'bankrun' | 'litesvm';
  /** Seed, unless the scenario sets one; null for the default seed. */
  readonly seed: string | null;
  /** Whether requests, balances, entries and transactions of passed steps are retained, too. */
  readonly isDetailed: boolean;
  /** Maximum real milliseconds per scenario. */
  readonly timeoutMs: number;
  /** When aborted, the scenario ends before its next step, and its result is skipped. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Takes over the world of a failed scenario instead of closing it, and gives the address where it can be inspected; null when it
   * has not, as by default.
   */
  readonly keep?: (world: World) => Promise<string | null>;
  /** Renders the command that runs a scenario alone. */
  readonly rerun: (scenario: Scenario, seed: string) => string;
}
