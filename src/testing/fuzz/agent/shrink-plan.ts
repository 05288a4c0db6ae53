import { mishapKind } from './mishaps.js';
import type { AgentPlan, PlannedMishap } from './plan.js';

/** Whether a plan still breaks the same rule. */
export type StillBroken = (plan: AgentPlan) => Promise<boolean>;

function withoutMishap(plan: AgentPlan, at: number): AgentPlan {
  return { ...plan, mishaps: plan.mishaps.filter((_, place) => place !== at) };
}

function withMishap(plan: AgentPlan, at: number, change: Partial<PlannedMishap>): AgentPlan {
  const mishaps = plan.mishaps.map((mishap, place) => (place === at ? { ...mishap, ...change } : mishap));
  return { ...plan, mishaps };
}

/** Removes an order and the faults that affect only it; later orders move up. */
function withoutOrder(plan: AgentPlan, number: number): AgentPlan {
  const mishaps = plan.mishaps
    .filter(({ order }) => order !== number)
    .map((mishap) =>
      mishap.order !== null && mishap.order > number ? { ...mishap, order: mishap.order - 1 } : mishap,
    );
  return { ...plan, orders: plan.orders.filter((_, at) => at !== number - 1), mishaps };
}

function* simpler(plan: AgentPlan): Generator<AgentPlan> {
  const { mishaps, orders } = plan;
  if (mishaps.length > 1) yield { ...plan, mishaps: [] };
  for (const at of [...mishaps.keys()].toReversed()) yield withoutMishap(plan, at);
  if (orders.length > 1)
    for (let number = orders.length; number >= 1; number -= 1) yield withoutOrder(plan, number);
  for (const [at, { times, nth, size, what }] of mishaps.entries()) {
    const less = [1, 2, 3].filter((each) => each < times);
    for (const each of less) yield withMishap(plan, at, { times: each });
    for (let each = 1; each < nth; each += 1) yield withMishap(plan, at, { nth: each });
    const { sizes } = mishapKind(what);
    for (const each of sizes.slice(0, Math.max(0, sizes.indexOf(size))))
      yield withMishap(plan, at, { size: each });
  }
  yield* rounder(plan);
}

/** The plan with rounder prices: 1 USDC each, and a budget that just suffices, ten times that, or half. */
function* rounder(plan: AgentPlan): Generator<AgentPlan> {
  if (plan.orders.every(({ price, maxPrice }) => price === 1 && maxPrice === 1)) return;
  const orders = plan.orders.map(({ seller }) => ({ seller, price: 1, maxPrice: 1 }));
  for (const factor of [1, 10, 0.5]) yield { ...plan, orders, budget: factor * orders.length };
}

/** Shrinks a plan while it keeps breaking the same rule. Returns the result and the number of attempts. */
export async function shrinkPlan(
  plan: AgentPlan,
  stillBroken: StillBroken,
  attempts: number,
): Promise<{ readonly plan: AgentPlan; readonly attempts: number }> {
  let best = plan;
  let tried = 0;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const less of simpler(best)) {
      if (tried >= attempts) return { plan: best, attempts: tried };
      tried += 1;
      if (!(await stillBroken(less))) continue;
      best = less;
      isSmaller = true;
      break;
    }
  }
  return { plan: best, attempts: tried };
}
