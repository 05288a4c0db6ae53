import type { StateSource } from './state.js';
import type { StateSummary } from './state-summary.js';

/**
 * What a state holds (its bytes, or the path of a file): configuration, clock, agents, loans and so many of its last entries, 10 when
 * nothing is said. No world is made of it. Rejects with StateError, and with InvalidOptions for a file that cannot be read.
 */
export async function showState(
  source: StateSource,
  options: { entries?: number } = {},
): Promise<StateSummary> {
  return (await import('./state.js')).showState(source, options);
}
