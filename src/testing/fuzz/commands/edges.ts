import fc from 'fast-check';
import type { EndpointId } from '../../../contract/endpoints.js';
import { isObject } from '../../../core/json.js';
import { DECIMALS, amountOf } from '../amounts.js';
import type { ModelToken, ServiceModel } from '../model/types.js';
import type { ModelRunner } from '../play/model-runner.js';
import type { Json } from '../step.js';
import type { Drawn } from './command.js';
import { NO_OUTAGE, callOf } from './play-call.js';

/** The largest power of ten to try, in base units: more than any balance. */
const MOST_DIGITS = 17;

/** Where a call contains its amount. */
function placeOf({ with: { body, query } }: Drawn): 'body' | 'query' | null {
  if (isObject(body) && typeof body['amount'] === 'number') return 'body';
  return isObject(query) && typeof query['amount'] === 'string' ? 'query' : null;
}

function withAmount(drawn: Drawn, place: 'body' | 'query', amount: number): Drawn {
  const written: Json = place === 'query' ? String(amount) : amount;
  return {
    ...drawn,
    with: { ...drawn.with, [place]: { ...(drawn.with[place] as object), amount: written } },
  };
}

/** The last of the numbers from `low` on that `isLike`. It must be so of `low`, not of `high`, and change only once between them. */
export function lastLike(low: bigint, high: bigint, isLike: (units: bigint) => boolean): bigint {
  if (high - low <= 1n) return low;
  const middle = (low + high) / 2n;
  return isLike(middle) ? lastLike(middle, high, isLike) : lastLike(low, middle, isLike);
}

/** Refusals that change state: what was done before, such as a reservation, persists. All other refusals leave a model unchanged. */
export const LEAVES_TRACES: ReadonlySet<string> = new Set(['transaction_failed', 'chain_unavailable']);

/** A base unit below, at or above the amount at which an outcome changes. */
const BESIDE = [0n, 0n, 1n, 1n, -1n, 2n];

/**
 * A call with an amount at which its outcome changes, or a base unit beside it, under any rule. Copies of the model predict the outcomes of
 * other amounts. Returns the call unchanged when it has no amount or its outcome does not depend on it.
 */
export function atEdge(drawn: Drawn, runner: ModelRunner): fc.Arbitrary<Drawn> {
  const place = placeOf(drawn);
  if (place === null) return fc.constant(drawn);
  const token: ModelToken = (drawn.with[place] as { token?: Json }).token === 'SOL' ? 'SOL' : 'USDC';
  let copy: ServiceModel | null = null;
  const outcome = (units: bigint) => {
    const { do: operation, by = '', with: args } = withAmount(drawn, place, amountOf(units, token));
    const call = callOf(operation as EndpointId, { by, with: args }, runner);
    copy ??= runner.model.copy();
    const { code } = copy.expect(call, NO_OUTAGE);
    if (code === null || LEAVES_TRACES.has(code)) copy = null;
    return code;
  };
  const digits = Array.from(
    { length: MOST_DIGITS - DECIMALS.USDC + DECIMALS[token] },
    (_, at) => 10n ** BigInt(at),
  );
  const outcomes = digits.map(outcome);
  const steps = digits.flatMap((_, at) => (at > 0 && outcomes[at] !== outcomes[at - 1] ? [at] : []));
  if (steps.length === 0) return fc.constant(drawn);
  return fc.tuple(fc.constantFrom(...steps), fc.constantFrom(...BESIDE)).map(([at, beside]) => {
    const last = lastLike(
      digits[at - 1] ?? 1n,
      digits[at] ?? 1n,
      (units) => outcome(units) === outcomes[at - 1],
    );
    const units = last + beside;
    return withAmount(drawn, place, amountOf(units > 0n ? units : 1n, token));
  });
}
