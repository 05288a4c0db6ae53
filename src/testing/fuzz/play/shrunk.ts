import fc from 'fast-check';
import { UNCONFIGURED } from '../draw.js';
import type { Step } from '../step.js';
import type { Failure } from './sequence.js';
import { type Failing, Sequence, sequences } from './sequences.js';

export type Attempt = (steps: readonly Step[]) => Promise<Failure | null>;

/**
 * Makes a failing sequence as short as possible, then its numbers as round as possible, while the kind of failure stays the same. Rejects
 * with errors of `attempt`.
 */
export async function shrunkBy(
  attempt: Attempt,
  first: Failing,
  bounds: { readonly attempts: number; readonly isOver: () => boolean },
): Promise<Failing> {
  const begun = new Sequence(first.steps, null);
  begun.played(first.steps, first.failure);
  let best: Failing = first;
  // Later rounds would mostly repeat earlier ones.
  const tried = new Set<string>();
  let attempts = 0;
  let trouble: { readonly error: unknown } | null = null;
  const property = fc.asyncProperty(sequences, async (sequence) => {
    const { steps } = sequence;
    if (sequence !== begun) {
      const text = JSON.stringify(steps);
      if (trouble !== null || attempts >= bounds.attempts || tried.has(text) || bounds.isOver()) return;
      tried.add(text);
      attempts += 1;
      try {
        sequence.played(steps, await attempt(steps));
      } catch (error) {
        // For fast-check, this is one more failing sequence.
        trouble ??= { error };
      }
      if (!sequence.hasFailed) return;
    }
    best = { steps: sequence.steps, failure: sequence.failure as Failure };
    throw new Error(best.failure.text);
  });
  await fc.check(property, { ...UNCONFIGURED, examples: [[begun]], numRuns: 1 });
  if (trouble !== null) throw (trouble as { readonly error: unknown }).error;
  return best;
}
