import fc from 'fast-check';
import type { EndpointId } from '../../../contract/endpoints.js';
import { isObject } from '../../../core/json.js';
import type { ServiceModel } from '../model/types.js';
import type { ModelRunner } from '../play/model-runner.js';
import { type Draw, chance, composed } from '../draw.js';
import type { Call, Json } from '../step.js';
import { callWithout } from './calls.js';
import type { Drawn } from './command.js';
import { NO_OUTAGE, callOf } from './play-call.js';

/** Operations that may overlap: all that move, reserve or show money. */
const OVERLAPPING: readonly EndpointId[] = [
  'withdraw',
  'withdraw',
  'x402Pay',
  'x402Pay',
  'deposit',
  'deposit',
  'x402Receive',
  'savingsDeposit',
  'savingsWithdraw',
  'collateralBorrow',
  'collateralRepay',
  'loanRepay',
  'loanApply',
  'x402Request',
  'account',
  'loan',
  'loans',
  'eligibility',
];

/** From this order number on, calls start within a few turns of each other; below it, one by one in the scheduler's order. */
export const CLOSE_FROM = 1_000;

/** Members of a body that name the objects of a call. */
const SUBJECTS = ['tx_signature', 'txSignature', 'payment_request'] as const;

function subjectOf({ with: { body } }: Call): Json | undefined {
  return isObject(body)
    ? (SUBJECTS.map((name) => body[name]).find((value) => value !== undefined) as Json)
    : undefined;
}

/** Mostly uses the first call's objects: the same loan, transaction, payment request or Idempotency-Key. */
function sharing(call: Call, like: Call, draw: Draw): Call {
  if (draw(chance(30))) return call;
  const { params, key } = like.with;
  const body = call.with['body'];
  const subject = subjectOf(like);
  const name = isObject(body) ? SUBJECTS.find((each) => body[each] !== undefined) : undefined;
  // A payment is bound to a request by all its members.
  const isBound = call.do === 'x402Pay' && like.do === 'x402Pay' && name === 'payment_request';
  const same = isBound
    ? like.with['body']
    : name !== undefined && subject !== undefined
      ? { ...(body as object), [name]: subject }
      : body;
  return {
    ...call,
    with: {
      ...call.with,
      ...(params !== undefined && call.with['params'] !== undefined ? { params } : {}),
      ...(key !== undefined && body !== undefined ? { key } : {}),
      ...(same === undefined ? {} : { body: same }),
    },
  };
}

function drawOne(draw: Draw, runner: ModelRunner, like: Call | null): Call | null {
  const operation = like !== null && draw(chance(50)) ? like.do : draw(fc.constantFrom(...OVERLAPPING));
  // Often the identical call twice at once, since money might be counted twice.
  if (like !== null && draw(chance(40))) return like;
  const call = callWithout(['mishap', 'auth', 'spelling'], operation, { draw, runner });
  if (call === null) return null;
  if (like !== null) return sharing(draw(chance(80)) ? { ...call, by: like.by } : call, like, draw);
  const isKeyed = call.with['body'] !== undefined && draw(chance(15));
  return isKeyed ? { ...call, with: { ...call.with, key: 'k1' } } : call;
}

function drawCalls(draw: Draw, runner: ModelRunner): readonly Call[] | null {
  const calls: Call[] = [];
  const count = draw(chance(80)) ? 2 : 3;
  while (calls.length < count) {
    const one = drawOne(draw, runner, calls[0] ?? null);
    if (one === null) return null;
    calls.push(one);
  }
  return calls;
}

/** Whether each call alone would succeed, but not all of them: what a race can break. */
function areRivals(calls: readonly Call[], runner: ModelRunner): boolean {
  const codeIn = (model: ServiceModel, call: Call) =>
    model.expect(callOf(call.do, call, runner), NO_OUTAGE).code;
  if (calls.some((call) => codeIn(runner.model.copy(), call) !== null)) return false;
  const together = runner.model.copy();
  return calls.some((call) => codeIn(together, call) !== null);
}

/** Maximum draws until calls are rivals. */
const MOST_DRAWS = 4;

function drawOverlap(draw: Draw, runner: ModelRunner): Drawn | null {
  let calls = drawCalls(draw, runner);
  for (let left = draw(chance(60)) ? MOST_DRAWS : 0; left > 0; left -= 1) {
    if (calls !== null && areRivals(calls, runner)) break;
    calls = drawCalls(draw, runner) ?? calls;
  }
  if (calls === null) return null;
  return {
    do: 'overlap',
    with: { calls: calls.map((call) => ({ ...call })), order: draw(fc.nat(2 * CLOSE_FROM - 1)) },
  };
}

/** Calls to make at once, mostly about the same objects. */
export function overlaps(runner: ModelRunner): fc.Arbitrary<Drawn | null> {
  return composed((draw) => drawOverlap(draw, runner));
}
