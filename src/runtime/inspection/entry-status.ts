import type { Entry } from '../../core/domain/entry.js';
import type { Outflow, State } from '../../core/domain/state.js';

/** An entry of an outflow has the outflow's current status; all other entries are completed. */
export function statusOf(
  { outflows }: State,
  { seq, facts }: Pick<Entry, 'seq' | 'facts'>,
): Outflow['status'] {
  switch (facts.kind) {
    case 'outflow.pending':
      return outflows.get(seq)?.status ?? 'pending';
    case 'outflow.posted':
    case 'outflow.voided':
      return outflows.get(facts.outflow)?.status ?? 'completed';
    default:
      return 'completed';
  }
}
