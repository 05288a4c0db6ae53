import type { EndpointId } from '../../../contract/endpoints.js';
import type { Answer, ApiCall, Expectation, Pause, ServiceModel, Steps } from '../model/types.js';

/** One of several calls that were made at once. */
export interface Called {
  readonly operation: EndpointId;
  readonly call: ApiCall;
  readonly answer: Answer | null;
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
  /** Null before it begins and when it is over. */
  pause: Pause | null;
  isOver: boolean;
}

/** A model in which some calls are carried out in part, or in full. */
interface Reached {
  readonly model: ServiceModel;
  /** Whether those that are over were answered as expected. */
  readonly fits: boolean;
  /** The calls that can go on. */
  readonly open: readonly number[];
}

/** Lets calls take turns: each carries one of them on until the next place where others may come in between. */
function reached(from: ServiceModel, called: readonly Called[], turns: readonly number[]): Reached {
  const model = from.copy();
  const begun = called.map(({ call }): Begun => ({ steps: model.begin(call), pause: null, isOver: false }));
  let fits = true;
  const goOn = (each: Begun, of: Called): void => {
    const { done, value } = each.steps.next();
    each.pause = done === true ? null : value;
    if (done !== true) {
      // Nobody else wants its key, or lacks one because of it.
      if (value.kind === 'key' && !value.isScarce && !sharesKey(of, called)) goOn(each, of);
      return;
    }
    each.isOver = true;
    if (of.answer === null || value.judge(of.answer) !== null) fits = false;
  };
  const canGoOn = ({ pause, isOver }: Begun) =>
    !isOver && (pause === null || !('isOver' in pause) || pause.isOver());
  for (const at of turns) goOn(begun[at] as Begun, called[at] as Called);
  // A repeat that has its answer changes nothing, whenever it gets it.
  for (const [at, each] of begun.entries())
    if (each.pause?.kind === 'repeat' && canGoOn(each)) goOn(each, called[at] as Called);
  return { model, fits, open: begun.flatMap((each, at) => (canGoOn(each) ? [at] : [])) };
}

/**
 * The models of all ways in which calls may overlap that explain their answers: a transfer is reserved, sent and booked one after the
 * other, and other calls may come in between (docs/reference/fidelity.md, Withdrawals and x402 payments).
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
