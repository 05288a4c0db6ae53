import type { StateSource } from './state.js';
import type { StateSummary } from './state-summary.js';

/**
 * Summarizes a state file (its bytes or path): configuration, clock, agents, loans and the last `entries` journal entries, 10 by
 * default, without creating a world. Rejects with StateError, and with InvalidOptions for an unreadable file.
 */
export async function showState(
  source: StateSource,
  options: { entries?: number } = {},
): Promise<StateSummary> {
  return (await import('./state.js')).showState(source, options);
}
