import type { EndpointId } from '../../../contract/endpoints.js';
import { isObject } from '../../../core/json.js';
import type { ModelRunner } from '../play/model-runner.js';
import type { Random } from '../random.js';
import type { Args, Json } from '../step.js';
import { drawOperation } from './calls.js';
import type { Drawn } from './command.js';

/** Operations that may overlap: all that move, promise or show money. */
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

export interface Written {
  readonly do: EndpointId;
  readonly by: string;
  readonly with: Args;
}

/** From this order number on, calls start within a few turns of each other; below it, one by one as the scheduler draws. */
export const CLOSE_FROM = 1_000;

/** Members of a body that name what a call is about. */
const SUBJECTS = ['tx_signature', 'txSignature', 'payment_request'] as const;

function subjectOf({ with: { body } }: Written): Json | undefined {
  return isObject(body)
    ? (SUBJECTS.map((name) => body[name]).find((value) => value !== undefined) as Json)
    : undefined;
}

/** Mostly, a call is about what the first one is about: the same loan, transaction, payment request or Idempotency-Key. */
function sharing(call: Written, like: Written, random: Random): Written {
  if (random.chance(30)) return call;
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

function drawOne(random: Random, runner: ModelRunner, like: Written | null): Written | null {
  const operation = like !== null && random.chance(50) ? like.do : random.pick(OVERLAPPING);
  // Often the identical call twice at once: that is where money might be counted twice.
  if (like !== null && random.chance(40)) return like;
  const drawn = drawOperation(operation)(random, runner);
  if (drawn === null || drawn.by === undefined) return null;
  const { mishap: _mishap, auth: _auth, ...calm } = drawn.with;
  const key = like === null && calm['body'] !== undefined && random.chance(15) ? { key: 'k1' } : {};
  const by = like !== null && random.chance(80) ? like.by : drawn.by;
  const call = { do: operation, by, with: { ...calm, ...key } };
  return like === null ? call : sharing(call, like, random);
}

/** Draws calls to make at once, mostly about the same thing. */
export function drawOverlap(random: Random, runner: ModelRunner): Drawn | null {
  const calls: Written[] = [];
  const count = random.chance(80) ? 2 : 3;
  while (calls.length < count) {
    const one = drawOne(random, runner, calls[0] ?? null);
    if (one === null) return null;
    calls.push(one);
  }
  return {
    do: 'overlap',
    with: { calls: calls.map((call) => ({ ...call })), order: random.below(2 * CLOSE_FROM) },
  };
}
