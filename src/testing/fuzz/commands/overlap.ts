import fc from 'fast-check';
import type { EndpointId } from '../../../contract/endpoints.js';
import { Random } from '../random.js';
import type { Deviation } from '../model/difference.js';
import type { Answer, ApiCall, ServiceModel } from '../model/types.js';
import type { Played, ModelRunner } from '../play/model-runner.js';
import type { Step } from '../step.js';
import type { Command } from './command.js';
import { CLOSE_FROM, READS, type Written, drawOverlap } from './overlap-draw.js';
import { NO_OUTAGE, callOf, rememberCall } from './play-call.js';

/** Turns of the microtask queue within which a call completes that need not wait for the chain. */
const MOST_TURNS = 48;

/** All permutations of `count` items. */
function ordersOf(count: number): number[][] {
  if (count === 0) return [[]];
  return ordersOf(count - 1).flatMap((order) =>
    Array.from({ length: count }, (_, at) => [...order.slice(0, at), count - 1, ...order.slice(at)]),
  );
}

/** An overlap without overlapping: each call alone, then all in every order. None for a step of another command. `nextId` is unused so far. */
export function sequential(step: Step, nextId: number): Step[][] {
  if (step.do !== 'overlap') return [];
  const { calls } = step.with as unknown as { calls: readonly Written[] };
  const alone = calls.map((call) => [{ id: step.id, ...call }]);
  if (calls.length < 2) return alone;
  const orders = ordersOf(calls.length).map((order) =>
    // Later steps refer to results of the overlap by its number.
    order.map((at, place) => ({
      ...(calls[at] as Written),
      id: place === order.length - 1 ? step.id : nextId + place,
    })),
  );
  return [...alone, ...orders];
}

interface Called {
  readonly operation: EndpointId;
  readonly call: ApiCall;
  readonly answer: Answer | null;
}

/** The calls played on the model in one order. */
interface InOrder {
  readonly order: readonly number[];
  /** The model after them. */
  readonly model: ServiceModel;
  /** The code that each call should get, in the order of the step; null for success. */
  readonly codes: readonly (string | null)[];
  /** The first deviation of their answers; null when all match. */
  readonly first: {
    readonly operation: EndpointId;
    readonly at: number;
    readonly deviation: Deviation;
  } | null;
}

function playedInOrder(model: ServiceModel, called: readonly Called[], order: readonly number[]): InOrder {
  const codes: (string | null)[] = called.map(() => null);
  let first: InOrder['first'] = null;
  for (const [place, at] of order.entries()) {
    const { call, answer } = called[at] as Called;
    const expectation = model.expect(call, NO_OUTAGE);
    codes[at] = expectation.code;
    const deviation: Deviation | null = answer === null ? { kind: 'unanswered' } : expectation.judge(answer);
    if (deviation !== null) first ??= { operation: call.operation, at: place, deviation };
  }
  return { order, model, codes, first };
}

function outcomeOf(answer: Answer | null): string {
  if (answer === null) return 'lost';
  if (answer.status === 200) return 'ok';
  return (answer.body as { code?: string }).code ?? String(answer.status);
}

/** Codes of transfers that were reserved and then rolled back. */
const GIVEN_BACK: ReadonlySet<string> = new Set(['transaction_failed', 'chain_unavailable']);
/** Codes of calls refused because of what another one had reserved. */
const TOO_LITTLE: ReadonlySet<string> = new Set([
  'insufficient_balance',
  'daily_limit_exceeded',
  'payment_request_already_paid',
]);

/**
 * Like `playedInOrder`, but tolerates a transfer that was reserved, failed on chain and was rolled back (the two phases of
 * docs/fidelity.md): other calls saw the reservation. Amounts in answers are then not compared; effects are.
 */
function fitsAround(model: ServiceModel, called: readonly Called[], order: readonly number[]): boolean {
  for (const at of order) {
    const { call, answer } = called[at] as Called;
    const outcome = outcomeOf(answer);
    if (TOO_LITTLE.has(outcome) || READS.has(call.operation)) continue;
    const expectation = model.expect(call, NO_OUTAGE);
    if (expectation.status !== answer?.status || (expectation.code ?? 'ok') !== outcome) return false;
    expectation.judge(GIVEN_BACK.has(outcome) ? answer : null);
  }
  return true;
}

const KEY_IN_USE = 'idempotency_key_reused';

function sharesKey({ call }: Called, called: readonly Called[]): boolean {
  const { key, authorization } = call;
  const isShared = (other: ApiCall) =>
    other !== call && other.key === key && other.authorization === authorization;
  return key !== null && called.some((other) => isShared(other.call));
}

/**
 * The calls that were carried out: while a call under a key is under way, another under it is turned down, also when the first is then
 * refused. Source: docs/fidelity.md, Idempotency-Key.
 */
function withoutKeyInUse(called: readonly Called[]): readonly Called[] {
  return called.filter((each) => outcomeOf(each.answer) !== KEY_IN_USE || !sharesKey(each, called));
}

/** What a call's code may be besides that of an order. */
function otherCodes(at: number, codes: InOrder['codes'], called: readonly Called[]): readonly string[] {
  const isGivenBack = (code: string | null) => code !== null && GIVEN_BACK.has(code);
  // A transfer that then fails holds its amount meanwhile.
  const less = codes.some(isGivenBack) && !isGivenBack(codes[at] ?? null) ? [...TOO_LITTLE] : [];
  return sharesKey(called[at] as Called, called) ? [...less, KEY_IN_USE] : less;
}

/** The codes of calls in an order, and those that they may have besides. */
function allowedCodes(codes: InOrder['codes'], called: readonly Called[]): InOrder['codes'][] {
  return codes.reduce<InOrder['codes'][]>(
    (lists, code, at) =>
      [code, ...otherCodes(at, codes, called)].flatMap((each) => lists.map((list) => [...list, each])),
    [[]],
  );
}

/**
 * The calls that were carried out, when those under one key that the chain turns down shared a failure: a repeat that arrives while the
 * first one is under way gets its answer. Source: docs/fidelity.md, Idempotency-Key.
 */
function withoutShared(called: readonly Called[]): readonly Called[] {
  return called.filter(({ call, answer }, at) => {
    if (call.key === null || !GIVEN_BACK.has(outcomeOf(answer))) return true;
    const text = JSON.stringify(call);
    return !called.slice(0, at).some((other) => JSON.stringify(other.call) === text);
  });
}

/** The models of every order of some of the calls that explains their answers. */
function fittingOrders(some: readonly Called[], model: ServiceModel): readonly ServiceModel[] {
  return ordersOf(some.length)
    .map((order) => playedInOrder(model.copy(), some, order))
    .flatMap((each) => (each.first === null ? [each.model] : []));
}

/** The models of every order that explains the answers; none when no order does. */
function explanations(
  called: readonly Called[],
  played: readonly InOrder[],
  { model }: ModelRunner,
): readonly ServiceModel[] {
  const fitting = played.filter(({ first }) => first === null).map((each) => each.model);
  const shared = withoutShared(called);
  if (shared.length < called.length) fitting.push(...fittingOrders(shared, model));
  if (fitting.length > 0) return fitting;
  const others = withoutKeyInUse(called);
  const againFitting = others.length < called.length ? fittingOrders(others, model) : [];
  if (againFitting.length > 0) return againFitting;
  if (!called.some(({ answer }) => GIVEN_BACK.has(outcomeOf(answer)))) return [];
  for (const { order } of played) {
    const after = model.copy();
    if (fitsAround(after, called, order)) return [after];
  }
  return [];
}

/** Reads that tell the orders of a caller's operations apart. */
const TELLING: readonly Pick<Written, 'do' | 'with'>[] = [
  { do: 'transactions', with: { query: { limit: '10' } } },
  { do: 'loans', with: {} },
];

/** Whether the treasury holds what a model expects. */
function fitsTreasury(model: ServiceModel, { world }: ModelRunner): boolean {
  const { treasury } = world.modelConfig;
  const [held, wanted] = [world.holdings(treasury), model.holds(treasury)];
  return held.USDC === wanted.USDC && held.SOL === wanted.SOL;
}

/**
 * Adopts the order that really happened. Where several explain the answers (such as two equal payments), the callers' histories and loans
 * decide, then the fees: whoever comes first pays for the account that others use.
 */
async function goOn(
  models: readonly ServiceModel[],
  names: readonly string[],
  runner: ModelRunner,
): Promise<void> {
  let left = models;
  for (const by of new Set(names))
    for (const read of TELLING) {
      if (left.length < 2) break;
      const call = callOf(read.do, { by, with: read.with }, runner);
      const answer = await runner.world.call(call, null);
      const fitting = left.filter((model) => model.expect(call, NO_OUTAGE).judge(answer) === null);
      // If none fits, the next read of the same reports it.
      if (fitting.length > 0) left = fitting;
    }
  const adopted = left.find((model) => fitsTreasury(model, runner)) ?? left[0];
  if (adopted !== undefined) runner.model = adopted;
}

/**
 * Starts calls, and resumes the bank's transfers, in an order drawn by fast-check's scheduler. Most calls complete between two tasks of
 * the scheduler, so in half of the orders calls start while others are in flight.
 */
async function overlapping(
  calls: readonly ApiCall[],
  order: number,
  runner: ModelRunner,
): Promise<(Answer | null)[]> {
  const random = new Random(order);
  const scheduler = random.draw(fc.scheduler());
  const turns = calls.map(() => (order < CLOSE_FROM ? null : random.below(MOST_TURNS)));
  runner.world.onTransfer(() => scheduler.schedule(Promise.resolve()));
  try {
    // Wait for all, even if one throws: a call left half-finished would block the world.
    const answers = Promise.allSettled(
      calls.map(async (call, at) => {
        const before = turns[at] ?? null;
        if (before === null) await scheduler.schedule(Promise.resolve());
        else for (let turn = 0; turn < before; turn += 1) await Promise.resolve();
        return runner.world.call(call, null);
      }),
    );
    return (await scheduler.waitFor(answers)).map((each) => {
      if (each.status === 'rejected') throw each.reason;
      return each.value;
    });
  } finally {
    runner.world.onTransfer(null);
  }
}

const FEE_LAMPORTS = 5_000n;

/**
 * The fees that no order of the calls explains: a request may open an account that a payment at the same time opens too, which costs a fee
 * for nothing.
 */
function noteFees(called: readonly Called[], { model, world }: ModelRunner): void {
  const isRequest = ({ operation, answer }: Called) =>
    operation === 'x402Request' && outcomeOf(answer) === 'ok';
  const requested = FEE_LAMPORTS * BigInt(called.filter(isRequest).length);
  const isPaid = called.some(({ operation }) => operation === 'x402Pay');
  const { treasury } = world.modelConfig;
  const vain = model.holds(treasury).SOL - world.holdings(treasury).SOL;
  if (isPaid && vain > 0n && vain <= requested && vain % FEE_LAMPORTS === 0n)
    model.ranMore(Number(vain / FEE_LAMPORTS));
}

async function playOverlap(step: Step, runner: ModelRunner): Promise<Played> {
  if (runner.memory.isDrained) return { outcome: 'idle', deviation: null };
  const { calls, order } = step.with as unknown as { calls: readonly Written[]; order: number };
  const asked = calls.map((each) => callOf(each.do, each, runner));
  const answers = await overlapping(asked, order, runner);
  const called = asked.map((call, at): Called => ({
    operation: call.operation,
    call,
    answer: answers[at] ?? null,
  }));
  const outcome = called
    .map(({ answer }) => outcomeOf(answer))
    .toSorted()
    .join('+');
  const played = ordersOf(called.length).map((each) => playedInOrder(runner.model.copy(), called, each));
  const overlapped = {
    order: (played.find(({ first }) => first === null) ?? played[0])?.order ?? [],
    allowed: played.flatMap(({ codes }) => allowedCodes(codes, called)),
  };
  const models = explanations(called, played, runner);
  if (models.length === 0) {
    const tried = played.flatMap((each) => {
      const operations = each.order.map((at) => (called[at] as Called).operation);
      return each.first === null ? [] : [{ operations, ...each.first }];
    });
    return { outcome, deviation: { kind: 'overlap', tried }, overlapped };
  }
  const names = calls.map(({ by }) => by);
  await goOn(models, names, runner);
  noteFees(called, runner);
  for (const [at, { operation, answer }] of called.entries())
    if (answer !== null)
      rememberCall(operation, { ...(calls[at] as Written), id: step.id }, { answer, runner, call: at });
  return { outcome, deviation: null, overlapped };
}

/** Several calls at once. Their answers must match some sequential order of the same calls. */
export const OVERLAP: Command = { name: 'overlap', weight: 4, draw: drawOverlap, play: playOverlap };
