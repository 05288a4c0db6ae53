import fc from 'fast-check';
import { z } from 'zod';
import { MISHAP_NAMES, type MishapName, type Place, mishapKind } from './mishaps.js';

/** Where faults strike: the latest call at which the first one there may start, and what the calls are named in texts. */
const PLACES = {
  start: { latest: 1 },
  'before-bank': { latest: 6, calls: 'bank call' },
  bank: { latest: 16, calls: 'bank call' },
  pay: { latest: 5, calls: 'payment or withdrawal' },
  ask: { latest: 2, calls: 'request for' },
  show: { latest: 2, calls: 'receipt for' },
} as const satisfies Record<Place, { latest: number; calls?: string }>;

const plannedMishap = z.strictObject({
  what: z.enum(MISHAP_NAMES as [MishapName, ...MishapName[]]),
  at: z.enum(Object.keys(PLACES) as [Place, ...Place[]]),
  /** Order number from 1, for faults in services; null for all others. */
  order: z.int().min(1).nullable(),
  /** First affected call, counted from 1; `times` calls are affected in total. */
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
  orders: z.array(plannedOrder).min(1).max(8).readonly(),
  /** In USDC. */
  budget: z.number().positive(),
  mishaps: z.array(plannedMishap).readonly(),
});

export type PlannedMishap = Readonly<z.output<typeof plannedMishap>>;
export type PlannedOrder = Readonly<z.output<typeof plannedOrder>>;
/** The plan of one run. It contains every choice, so the run is reproducible. */
export type AgentPlan = Readonly<z.output<typeof agentPlan>>;

const SELLERS = 3;
const MOST_ORDERS = 3;
const MOST_MISHAPS = 5;
const FOR_EVER = 99;

const cents = (amount: number): number => Math.round(amount * 100) / 100;

function highestTotal(orders: readonly PlannedOrder[]): number {
  return cents(orders.reduce((sum, { maxPrice }) => sum + maxPrice, 0));
}

/** Draws one of the values; shrinks to earlier ones. */
function calmestOf<T>(values: readonly T[]): fc.Arbitrary<T> {
  return fc.nat(values.length - 1).map((at) => values[at] as T);
}

/** Draws 1 three times in five; shrinks to 1. */
function mostlyOne(others: fc.Arbitrary<number>): fc.Arbitrary<number> {
  const one = { weight: 3, arbitrary: fc.constant(1) };
  return fc.oneof({ withCrossShrink: true }, one, { weight: 2, arbitrary: others });
}

/** Places whose mishaps happen once and leave the call to others. */
const isOnce = (at: Place): boolean => at === 'start' || at === 'before-bank';

function mishapAt(what: MishapName, at: Place): fc.Arbitrary<PlannedMishap> {
  const isOfService = at === 'ask' || at === 'show';
  return fc.record({
    what: fc.constant(what),
    at: fc.constant(at),
    order: isOfService ? fc.integer({ min: 1, max: MOST_ORDERS }) : fc.constant(null),
    nth: mostlyOne(fc.integer({ min: 1, max: PLACES[at].latest })),
    times: isOnce(at) ? fc.constant(1) : mostlyOne(calmestOf([2, 3, FOR_EVER])),
    size: calmestOf(mishapKind(what).sizes),
  });
}

function mishapsOf(names: readonly MishapName[]): fc.Arbitrary<PlannedMishap[]> {
  if (names.length === 0) return fc.constant([]);
  const weighed = names.flatMap((name) => {
    const { places, weight } = mishapKind(name);
    return places.map((at, place) => ({
      // The first of several occurrences matters most.
      weight: place === 0 ? 5 * weight : weight,
      arbitrary: mishapAt(name, at),
    }));
  });
  return fc.array(fc.oneof(...weighed), { maxLength: MOST_MISHAPS });
}

const draftOrder = fc.record({
  seller: fc.nat(SELLERS - 1),
  /** Cents above 1 USDC, the price to shrink to. */
  above: fc.integer({ min: -50, max: 399 }),
  /** The maximum price, as a multiple of the price. */
  leeway: fc.constantFrom(1, 1.2, 2),
});

/**
 * Draws drafts of plans with some of the given faults. A draft is relative where parts of a plan depend on each other, so that each part
 * shrinks independently.
 */
export function planDrafts(names: readonly MishapName[]) {
  return fc.record({
    mishaps: mishapsOf(names),
    orders: fc.array(draftOrder, { minLength: 1, maxLength: MOST_ORDERS }),
    /** The budget as a multiple of the sum of maximum prices. The simplest value seldom restricts the agent. */
    budget: fc.constantFrom(10, 1, 1, 1, 0.9, 0.5),
  });
}

type PlanDraft = ReturnType<typeof planDrafts> extends fc.Arbitrary<infer Draft> ? Draft : never;

/** A plan without faults: the agent must receive everything. */
export const GOOD_DAY: PlanDraft = {
  mishaps: [],
  orders: [
    { seller: 0, above: 100, leeway: 1 },
    { seller: 1, above: 25, leeway: 2 },
  ],
  budget: 1,
};

export function planOf({ mishaps, orders: drafts, budget }: PlanDraft): AgentPlan {
  const orders = drafts.map(({ seller, above, leeway }) => {
    const price = cents(1 + above / 100);
    return { seller, price, maxPrice: cents(price * leeway) };
  });
  const planned: PlannedMishap[] = [];
  for (const mishap of mishaps) {
    const { at } = mishap;
    const order = mishap.order === null ? null : Math.min(mishap.order, orders.length);
    // Of a draft, `nth` counts from the end of all earlier ones that use up calls of the same place: none hides another.
    const ends = planned
      .filter((each) => !isOnce(at) && each.at === at && each.order === order && each.times < FOR_EVER)
      .map(({ nth, times }) => nth + times - 1);
    planned.push({ ...mishap, order, nth: Math.max(0, ...ends) + mishap.nth });
  }
  return { orders, budget: cents(budget * highestTotal(orders)), mishaps: planned };
}

/** Whether an agent that waits and retries can receive everything: no fault is permanent, and the budget suffices. */
export function canAllBeGot({ orders, budget, mishaps }: AgentPlan): boolean {
  return (
    budget >= highestTotal(orders) &&
    mishaps.every(({ what, times }) => mishapKind(what).isPassing && times < FOR_EVER)
  );
}

function ordinal(nth: number): string {
  const ends: Readonly<Record<number, string>> = { 1: 'st', 2: 'nd', 3: 'rd' };
  const isTeen = nth % 100 >= 11 && nth % 100 <= 13;
  return `${nth}${isTeen ? 'th' : (ends[nth % 10] ?? 'th')}`;
}

/** A planned fault in words, such as `1st payment or withdrawal: the response is lost, but the request was carried out`. */
export function mishapText({ what, at, order, nth, times, size }: PlannedMishap): string {
  const says = mishapKind(what).says(size);
  if (at === 'start') return `from the start: ${says}`;
  const place = `${PLACES[at].calls}${order === null ? '' : ` order-${order}`}`;
  const last = times > 1 && times < FOR_EVER ? ` to ${ordinal(nth + times - 1)}` : '';
  const later = times >= FOR_EVER ? ' and all later ones' : '';
  return `${at === 'before-bank' ? 'before the ' : ''}${ordinal(nth)}${last} ${place}${later}: ${says}`;
}
