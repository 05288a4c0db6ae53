import type { Answer, ApiCall, Expectation, Pause, ServiceModel, Steps } from '../model/types.js';

export interface Called {
  readonly call: ApiCall;
  readonly response: Answer | null;
}

/** Whether another call of the same caller has the same Idempotency-Key. */
export function sharesKey({ call }: Called, called: readonly Called[]): boolean {
  const { key, authorization } = call;
  const isShared = (other: ApiCall) =>
    other !== call && other.key === key && other.authorization === authorization;
  return key !== null && called.some((other) => isShared(other.call));
}

interface Begun {
  readonly steps: Steps<Expectation>;
  /** Null before it begins and after it ends. */
  pause: Pause | null;
  isOver: boolean;
}

/** Interleaves calls: each turn carries out one call up to the next point where other calls may run. */
function reached(from: ServiceModel, called: readonly Called[], turns: readonly number[]) {
  const model = from.copy();
  const begun = called.map(({ call }): Begun => ({ steps: model.begin(call), pause: null, isOver: false }));
  /** Whether the completed calls had the expected responses. */
  let fits = true;
  const goOn = (each: Begun, of: Called): void => {
    const { done, value } = each.steps.next();
    each.pause = done === true ? null : value;
    if (done !== true) {
      // No other call uses its key, or runs out of keys because of it.
      if (value.kind === 'key' && !value.isScarce && !sharesKey(of, called)) goOn(each, of);
      return;
    }
    each.isOver = true;
    if (of.response === null || value.judge(of.response) !== null) fits = false;
  };
  const canGoOn = ({ pause, isOver }: Begun) =>
    !isOver && (pause === null || !('isOver' in pause) || pause.isOver());
  for (const at of turns) goOn(begun[at] as Begun, called[at] as Called);
  // A repeated call whose response is stored changes nothing at any time.
  for (const [at, each] of begun.entries())
    if (each.pause?.kind === 'repeat' && canGoOn(each)) goOn(each, called[at] as Called);
  return { model, fits, open: begun.flatMap((each, at) => (canGoOn(each) ? [at] : [])) };
}

/**
 * The models of all interleavings of calls that explain their responses. A transfer is reserved, sent and booked one after the other, and
 * other calls may run in between (docs/reference/fidelity.md, Withdrawals and x402 payments).
 */
export function* interleavings(
  model: ServiceModel,
  called: readonly Called[],
  turns: readonly number[] = [],
): Generator<ServiceModel> {
  const at = reached(model, called, turns);
  if (!at.fits) return;
  if (at.open.length === 0) yield at.model;
  for (const next of at.open) yield* interleavings(model, called, [...turns, next]);
}
