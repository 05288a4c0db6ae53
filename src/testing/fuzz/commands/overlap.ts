import fc from 'fast-check';
import { UNCONFIGURED } from '../draw.js';
import type { Deviation, OrderTried } from '../model/difference.js';
import type { Answer, ApiCall, ServiceModel } from '../model/types.js';
import type { Played, ModelRunner } from '../play/model-runner.js';
import type { Call, Step } from '../step.js';
import type { FuzzWorld } from '../world.js';
import type { Command } from './command.js';
import { type Called, interleavings } from './interleavings.js';
import { CLOSE_FROM, overlaps } from './overlap-draw.js';
import { NO_OUTAGE, callOf, rememberCall } from './play-call.js';

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

/** The calls played on the model in one order. */
interface InOrder {
  readonly order: readonly number[];
  readonly model: ServiceModel;
  /** The first deviation of the responses; null when all match. */
  readonly first: Omit<OrderTried, 'operations'> | null;
}

function playedInOrder(model: ServiceModel, called: readonly Called[], order: readonly number[]): InOrder {
  let first: InOrder['first'] = null;
  for (const [place, at] of order.entries()) {
    const { call, response } = called[at] as Called;
    const expectation = model.expect(call, NO_OUTAGE);
    const deviation: Deviation | null =
      response === null ? { kind: 'unanswered' } : expectation.judge(response);
    if (deviation !== null) first ??= { operation: call.operation, at: place, deviation };
  }
  return { order, model, first };
}

function outcomeOf(response: Answer | null): string {
  if (response === null) return 'lost';
  if (response.status === 200) return 'ok';
  return (response.body as { code?: string }).code ?? String(response.status);
}

/** The models of all explanations of the responses: first sequential orders, then interleavings. */
function* explanations(
  called: readonly Called[],
  played: readonly InOrder[],
  model: ServiceModel,
): Generator<ServiceModel> {
  for (const each of played) if (each.first === null) yield each.model;
  yield* interleavings(model, called);
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
  const played = ordersOf(called.length).map((each) => playedInOrder(runner.model.copy(), called, each));
  const names = calls.map(({ by }) => by);
  if (!(await adopt(explanations(called, played, runner.model), names, runner))) {
    const tried = played.flatMap((each) => {
      const operations = each.order.map((at) => (called[at] as Called).call.operation);
      return each.first === null ? [] : [{ operations, ...each.first }];
    });
    return { outcome, deviation: { kind: 'overlap', tried } };
  }
  for (const [at, call] of calls.entries()) {
    const response = responses[at] ?? null;
    if (response !== null) rememberCall(call.do, { ...call, id: step.id }, { response, runner });
  }
  return { outcome, deviation: null };
}

/** Several calls at once. Their responses must match the same calls in some sequential order, or interleaved at their transfers. */
export const OVERLAP: Command = { name: 'overlap', weight: 4, draw: overlaps, play: playOverlap };
