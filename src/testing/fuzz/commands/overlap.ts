import fc from 'fast-check';
import type { EndpointId } from '../../../contract/endpoints.js';
import { isObject } from '../../../core/json.js';
import type { ServiceModel, Answer, ApiCall, Expectation, Pause, Steps } from '../model/types.js';
import type { ModelRunner, Played } from '../play/model-runner.js';
import { type Draw, chance, composed, UNCONFIGURED } from '../draw.js';
import type { Call, Json, Step } from '../step.js';
import { callWithout } from './calls.js';
import type { Drawn, Command } from './command.js';
import { NO_OUTAGE, callOf, rememberCall } from './play-call.js';
import type { Deviation, OrderTried } from '../model/difference.js';
import type { FuzzWorld } from '../world.js';

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

/** Turns of the microtask queue within which a call completes that does not wait for the chain. */
const MOST_TURNS = 48;

/** All permutations of `count` items. */
function ordersOf(count: number): number[][] {
  if (count === 0) return [[]];
  return ordersOf(count - 1).flatMap((order) =>
    Array.from({ length: count }, (_, at) => [...order.slice(0, at), count - 1, ...order.slice(at)]),
  );
}

/** An overlap as separate calls: each call alone, then all in every order. Empty for steps of other commands. `nextId` must be unused. */
export function sequential(step: Step, nextId: number): Step[][] {
  if (step.do !== 'overlap') return [];
  const { calls } = step.with as unknown as { calls: readonly Call[] };
  const alone = calls.map((call) => [{ id: step.id, ...call }]);
  if (calls.length < 2) return alone;
  const orders = ordersOf(calls.length).map((order) =>
    // Later steps refer to results of the overlap by its number.
    order.map((at, place) => ({
      ...(calls[at] as Call),
      id: place === order.length - 1 ? step.id : nextId + place,
    })),
  );
  return [...alone, ...orders];
}

/** The first response that deviates from the model when it makes the calls in this order; null for none. */
function firstDeviation(
  model: ServiceModel,
  inOrder: readonly Called[],
): Omit<OrderTried, 'operations'> | null {
  for (const [at, { call, response }] of inOrder.entries()) {
    const expectation = model.expect(call, NO_OUTAGE);
    const deviation: Deviation | null =
      response === null ? { kind: 'unanswered' } : expectation.judge(response);
    if (deviation !== null) return { operation: call.operation, at, deviation };
  }
  return null;
}

function outcomeOf(response: Answer | null): string {
  if (response === null) return 'lost';
  if (response.status === 200) return 'ok';
  return (response.body as { code?: string }).code ?? String(response.status);
}

/** The models of all explanations of the responses: sequential orders, then interleavings. Orders that explain nothing go to `tried`. */
function* explanations(
  called: readonly Called[],
  begun: ServiceModel,
  tried: OrderTried[],
): Generator<ServiceModel> {
  for (const order of ordersOf(called.length)) {
    const inOrder = order.map((at) => called[at] as Called);
    const model = begun.copy();
    const first = firstDeviation(model, inOrder);
    if (first === null) yield model;
    else tried.push({ operations: inOrder.map(({ call }) => call.operation), ...first });
  }
  yield* interleavings(begun, called);
}

/** Number of history records that show the order of a caller's operations. */
const LATEST = 10;

/** Reads that distinguish the orders of a caller's operations: several pages of the history where pages are short. */
function distinguishingReads({ world }: ModelRunner): readonly Pick<Call, 'do' | 'with'>[] {
  const rows = Math.min(LATEST, world.modelConfig.limits.historyRows);
  const pages = Array.from({ length: Math.ceil(LATEST / rows) }, (_, page) => ({
    do: 'transactions' as const,
    with: { query: { limit: String(rows), offset: String(page * rows) } },
  }));
  return [...pages, { do: 'loans', with: {} }];
}

/** Whether the queue of withdrawals in a world is as the model predicts. */
function isQueuedIn(model: ServiceModel, world: FuzzWorld): boolean {
  const [queued, expected] = [world.queued(), model.queued()];
  const isSame = (id: string, at: number) => expected[at] === null || expected[at] === id;
  return queued.length === expected.length && queued.every(isSame);
}

/** How many histories and loans of the callers, on-chain funds and withdrawal queues match the model. */
function matchesOf(model: ServiceModel, read: readonly Called[], runner: ModelRunner): number {
  const tried = model.copy();
  const fitting = read.filter(({ call, response }) => tried.expect(call, NO_OUTAGE).judge(response) === null);
  const others = [runner.misplacedIn(tried) === null, isQueuedIn(tried, runner.world)];
  return fitting.length + others.filter(Boolean).length;
}

/**
 * Adopts the order that happened; returns false if none explains the responses. If several do (as for two equal payments), histories, loans
 * and on-chain payments distinguish them: the first payment creates the account that later ones use. If none explains all of it, the next
 * reconciliation or read reports the rest.
 */
async function adopt(
  models: Iterable<ServiceModel>,
  names: readonly string[],
  runner: ModelRunner,
): Promise<boolean> {
  const read: Called[] = [];
  for (const by of new Set(names))
    for (const each of distinguishingReads(runner)) {
      const call = callOf(each.do, { by, with: each.with }, runner);
      read.push({ call, response: await runner.world.call(call, null) });
    }
  let best: { model: ServiceModel; matches: number } | null = null;
  for (const model of models) {
    const matches = matchesOf(model, read, runner);
    if (best === null || matches > best.matches) best = { model, matches };
    if (matches === read.length + 2) break;
  }
  if (best !== null) runner.model = best.model;
  return best !== null;
}

/**
 * Starts calls, and resumes the bank's transfers, in an order drawn by fast-check's scheduler. Most calls complete between two tasks of the
 * scheduler, so in half of the orders calls start while others are in progress.
 */
async function overlapping(
  calls: readonly ApiCall[],
  order: number,
  runner: ModelRunner,
): Promise<(Answer | null)[]> {
  const waits = fc.array(fc.noBias(fc.nat(MOST_TURNS - 1)), {
    minLength: calls.length,
    maxLength: calls.length,
  });
  const once = { ...UNCONFIGURED, seed: order, numRuns: 1 };
  const [[scheduler, turns] = []] = fc.sample(fc.tuple(fc.scheduler(), waits), once);
  if (scheduler === undefined || turns === undefined) throw new Error('nothing was drawn');
  runner.world.onTransfer(() => scheduler.schedule(Promise.resolve()));
  try {
    // Waits for all, even if one throws: an unfinished call would block the world.
    const responses = Promise.allSettled(
      calls.map(async (call, at) => {
        if (order < CLOSE_FROM) await scheduler.schedule(Promise.resolve());
        else for (let turn = 0; turn < (turns[at] ?? 0); turn += 1) await Promise.resolve();
        return runner.world.call(call, null);
      }),
    );
    return (await scheduler.waitFor(responses)).map((each) => {
      if (each.status === 'rejected') throw each.reason;
      return each.value;
    });
  } finally {
    runner.world.onTransfer(null);
  }
}

async function playOverlap(step: Step, runner: ModelRunner): Promise<Played> {
  const { calls, order } = step.with as unknown as { calls: readonly Call[]; order: number };
  const asked = calls.map((each) => callOf(each.do, each, runner));
  const responses = await overlapping(asked, order, runner);
  const called = asked.map((call, at): Called => ({ call, response: responses[at] ?? null }));
  const outcome = called
    .map(({ response }) => outcomeOf(response))
    .toSorted()
    .join('+');
  const names = calls.map(({ by }) => by);
  const tried: OrderTried[] = [];
  if (!(await adopt(explanations(called, runner.model, tried), names, runner)))
    return { outcome, deviation: { kind: 'overlap', tried } };
  for (const [at, call] of calls.entries()) {
    const response = responses[at] ?? null;
    if (response !== null) rememberCall(call.do, { ...call, id: step.id }, { response, runner });
  }
  return { outcome, deviation: null };
}

/** Several calls at once. Their responses must match the same calls in some sequential order, or interleaved at their transfers. */
export const OVERLAP: Command = { name: 'overlap', weight: 4, draw: overlaps, play: playOverlap };
