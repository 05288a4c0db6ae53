import { z } from 'zod';
import type { Random } from '../../random.js';
import { MISHAP_NAMES, type MishapName, type Place, mishapKind } from './mishaps.js';

const placeName = z.enum(['start', 'before-bank', 'bank', 'pay', 'ask', 'show']);

const plannedMishap = z.strictObject({
  what: z.enum(MISHAP_NAMES as [MishapName, ...MishapName[]]),
  at: placeName,
  /** Order number from 1, for faults of services; null for others. */
  order: z.int().min(1).nullable(),
  /** First call affected, counted from 1; `times` calls are affected in all. */
  nth: z.int().min(1),
  times: z.int().min(1),
  /** Milliseconds, a factor or USD, depending on the kind. */
  size: z.number(),
});

const plannedOrder = z.strictObject({
  seller: z.int().min(0).max(2),
  /** In USDC. */
  price: z.number().positive(),
  maxPrice: z.number().positive(),
});

export const agentPlan = z.strictObject({
  orders: z.array(plannedOrder).min(1).max(8),
  /** In USDC. */
  budget: z.number().positive(),
  mishaps: z.array(plannedMishap),
});

/** A planned fault: what, and at which calls. */
export type PlannedMishap = Readonly<z.output<typeof plannedMishap>>;
/** A planned order. */
export type PlannedOrder = Readonly<z.output<typeof plannedOrder>>;
/** The plan of one run. It makes every choice, so the run is reproducible. */
export interface AgentPlan {
  readonly orders: readonly PlannedOrder[];
  readonly budget: number;
  readonly mishaps: readonly PlannedMishap[];
}

const SELLERS = 3;
const MOST_ORDERS = 3;
const MOST_MISHAPS = 5;
const FOR_EVER = 99;
/** Largest budget, as a multiple of what the agent needs. */
const GENEROUS = 10;
/** The latest call at which a fault may start, by place. */
const LATEST: Readonly<Record<Place, number>> = {
  start: 1,
  'before-bank': 6,
  bank: 8,
  pay: 3,
  ask: 2,
  show: 2,
};

const cents = (amount: number): number => Math.round(amount * 100) / 100;

/** Sum over a list of orders, in USDC. */
function total(orders: readonly PlannedOrder[], of: 'price' | 'maxPrice'): number {
  return cents(orders.reduce((sum, order) => sum + order[of], 0));
}

function drawOrder(random: Random): PlannedOrder {
  const price = cents(0.5 + random.below(450) / 100);
  return { seller: random.below(SELLERS), price, maxPrice: cents(price * random.pick([1, 1.2, 2])) };
}

/** A plan without faults: an agent must get everything. */
export const GOOD_DAY: AgentPlan = {
  orders: [
    { seller: 0, price: 2, maxPrice: 2 },
    { seller: 1, price: 1.25, maxPrice: 2 },
  ],
  budget: 4,
  mishaps: [],
};

function drawMishap(random: Random, orders: number, names: readonly MishapName[]): PlannedMishap {
  const { what } = random.weighed(names.map((name) => ({ what: name, weight: mishapKind(name).weight })));
  const kind = mishapKind(what);
  // The first of several places matters most.
  const at = random.chance(70) ? kind.places[0] : random.pick(kind.places);
  const isOfService = at === 'ask' || at === 'show';
  return {
    what,
    at,
    order: isOfService ? 1 + random.below(orders) : null,
    nth: random.chance(60) ? 1 : 1 + random.below(LATEST[at]),
    times: at === 'start' || at === 'before-bank' || random.chance(60) ? 1 : random.pick([2, 3, FOR_EVER]),
    size: random.pick(kind.sizes),
  };
}

/** Draws a plan with at least one of the given faults. */
export function drawPlan(random: Random, names: readonly MishapName[] = MISHAP_NAMES): AgentPlan {
  const count = 1 + random.below(MOST_ORDERS);
  const orders = Array.from({ length: count }, () => drawOrder(random));
  const most = total(orders, 'maxPrice');
  const tight = cents(Math.max(0.1, total(orders, 'price') - random.below(200) / 100));
  const budget = random.pick([most, most, tight, cents(GENEROUS * most)]);
  const mishaps = Array.from({ length: 1 + random.below(MOST_MISHAPS) }, () =>
    drawMishap(random, count, names),
  );
  return { orders, budget, mishaps };
}

/** Whether an agent that waits and retries can get everything: no fault is permanent, and the budget suffices. */
export function canAllBeGot({ orders, budget, mishaps }: AgentPlan): boolean {
  return (
    budget >= total(orders, 'maxPrice') &&
    mishaps.every(({ what, times }) => mishapKind(what).isPassing && times < FOR_EVER)
  );
}

const PLACES: Readonly<Record<Exclude<Place, 'start'>, string>> = {
  'before-bank': 'call of the bank',
  bank: 'call of the bank',
  pay: 'payment',
  ask: 'request for',
  show: 'receipt for',
};

function ordinal(nth: number): string {
  const ends: Readonly<Record<number, string>> = { 1: 'st', 2: 'nd', 3: 'rd' };
  const isTeen = nth % 100 >= 11 && nth % 100 <= 13;
  return `${nth}${isTeen ? 'th' : (ends[nth % 10] ?? 'th')}`;
}

/** A planned fault in words, such as `1st payment: the answer is lost, what was asked for was done`. */
export function mishapText({ what, at, order, nth, times, size }: PlannedMishap): string {
  const says = mishapKind(what).says(size);
  if (at === 'start') return `from the beginning: ${says}`;
  const place = `${PLACES[at]}${order === null ? '' : ` order-${order}`}`;
  const last = times > 1 && times < FOR_EVER ? ` to ${ordinal(nth + times - 1)}` : '';
  const later = times >= FOR_EVER ? ' and every later one' : '';
  return `${at === 'before-bank' ? 'before the ' : ''}${ordinal(nth)}${last} ${place}${later}: ${says}`;
}
