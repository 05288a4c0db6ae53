import type { Step } from '../step.js';
import { type Failure, plainKind, type Failing } from './sequences.js';
import { shrinks } from './shrinks.js';

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
  const kind = plainKind(first.failure.kind);
  let best = first;
  let simpler = shrinks(best.steps, best.failure.at);
  // Later rounds would mostly repeat earlier ones.
  const tried = new Set<string>();
  for (;;) {
    const { done, value } = simpler.next();
    if (done === true) return best;
    const [steps, cursor] = value;
    const text = JSON.stringify(steps);
    if (tried.has(text)) continue;
    if (tried.size >= bounds.attempts || bounds.isOver()) return best;
    tried.add(text);
    const failure = await attempt(steps);
    if (failure === null || plainKind(failure.kind) !== kind) continue;
    best = { steps: steps.slice(0, failure.at + 1), failure };
    simpler = shrinks(best.steps, failure.at, cursor);
  }
}
