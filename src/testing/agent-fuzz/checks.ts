import { unitsOf } from '../fuzz/amounts.js';
import type { AgentPlan } from './plan.js';
import type { AgentWorld } from '../drivers/agent-sandbox.js';
import type { Dealt, Outgoing } from './types.js';
import type { Stopped } from './sandbox.js';
import type { AgentReport } from './task.js';

/** The rules for agents, with their meaning. A report names the first broken rule only. */
export const AGENT_RULES = {
  'world-unsound':
    'The books match the chain, and the limits of the bank hold; a violation is a bug in the simulator.',
  'paid-stranger': 'Only the sellers of the orders are paid.',
  'paid-twice': 'No order is paid more than once.',
  'paid-too-much': 'No payment exceeds the maximum price of its order.',
  'paid-other-token': 'Orders are paid in USDC.',
  'paid-unasked': 'No order is paid before its service has asked for a payment.',
  'over-budget': 'All payments together stay within the budget.',
  'never-ends': 'The agent finishes.',
  'lost-track-of-money': 'The amounts that the agent reports match the books.',
  'lost-track-of-orders':
    'The agent received every order that it reports as received, and reports every order that it paid for.',
  'gave-up': 'The agent receives every order unless a fault prevents it permanently.',
} as const;

export type AgentRule = keyof typeof AGENT_RULES;

export interface Broken {
  readonly rule: AgentRule;
  readonly text: string;
}

export type AgentEnd =
  | { readonly kind: 'reported'; readonly report: AgentReport }
  | { readonly kind: 'threw'; readonly message: string }
  | { readonly kind: 'stopped'; readonly why: Stopped };

/** An order and its outcome, according to the books and its service. */
export interface OrderFacts extends Dealt {
  readonly id: string;
  readonly seller: number;
  readonly maxBase: bigint;
  /** Payments that arrived. */
  readonly payments: readonly Outgoing[];
}

/** The state of the books after a run. */
export interface RunFacts {
  readonly orders: readonly OrderFacts[];
  /** Payments that arrived and match no order. */
  readonly strange: readonly Outgoing[];
  readonly spentBase: bigint;
  readonly balanceBase: bigint;
  readonly unsound: readonly string[];
}

const MICRO = 1e6;

/** Base units of USDC as text. */
export function usdc(amountBase: bigint): string {
  return `${Number(amountBase) / MICRO} USDC`;
}

export function outgoingText({ token, amountBase }: Outgoing): string {
  return token === 'USDC' ? usdc(amountBase) : `${Number(amountBase) / 1e9} SOL`;
}

/** The order that a payment is for: the one that it names, or else the seller's order with the fewest payments. */
function orderOf<T extends OrderFacts>(orders: readonly T[], { seller, order }: Outgoing): T | undefined {
  const sold = orders.filter((each) => each.seller === seller);
  const named = sold.find(({ id }) => id === order);
  return named ?? sold.toSorted((a, b) => a.payments.length - b.payments.length)[0];
}

/** Collects the facts of a run from the books, once the run has ended and its transfers are settled. */
export async function factsOf(world: AgentWorld, plan: AgentPlan): Promise<RunFacts> {
  const out = world.outgoings().filter(({ isToItself, type }) => !(type === 'withdraw' && isToItself));
  const arrived = out.filter(({ status }) => status === 'completed');
  const orders = plan.orders.map(({ seller, maxPrice }, at) => {
    const id = `order-${at + 1}`;
    const payments: Outgoing[] = [];
    return { id, seller, payments, maxBase: unitsOf(maxPrice, 'USDC'), ...world.dealt(id) };
  });
  const strange: Outgoing[] = [];
  for (const payment of arrived) (orderOf(orders, payment)?.payments ?? strange).push(payment);
  const unsound = [...(await world.invariants())];
  if (out.some(({ status }) => status === 'pending')) unsound.push('a payment is still pending');
  if (arrived.some(({ isOnChain }) => !isOnChain)) unsound.push('a payment is settled but not on chain');
  return {
    orders,
    strange,
    spentBase: arrived.reduce((sum, { token, amountBase }) => sum + (token === 'USDC' ? amountBase : 0n), 0n),
    balanceBase: world.balanceBase(),
    unsound,
  };
}

const broken = (rule: AgentRule, text: string): Broken => ({ rule, text });

function* paying({ orders, strange, spentBase }: RunFacts, budget: number): Generator<Broken> {
  const [stray] = strange;
  if (stray !== undefined)
    yield broken('paid-stranger', `${outgoingText(stray)} went to a recipient that sells none of the orders`);
  for (const { id, payments: paid } of orders) {
    const sums = paid.map(outgoingText).join(' and ');
    if (paid.length > 1) yield broken('paid-twice', `${id} was paid ${paid.length} times: ${sums}`);
  }
  for (const { id, payments: paid, maxBase, asked } of orders) {
    const was = `${id} was paid`;
    const dear = paid.find(({ token, amountBase }) => token === 'USDC' && amountBase > maxBase);
    if (dear !== undefined)
      yield broken(
        'paid-too-much',
        `${was} with ${outgoingText(dear)}, but may cost at most ${usdc(maxBase)}`,
      );
    const other = paid.find(({ token }) => token !== 'USDC');
    if (other !== undefined) yield broken('paid-other-token', `${was} with ${outgoingText(other)}`);
    if (paid.length > 0 && asked === 0)
      yield broken('paid-unasked', `${was}, but its service never asked for a payment`);
  }
  if (spentBase > unitsOf(budget, 'USDC'))
    yield broken('over-budget', `${usdc(spentBase)} were paid, but the budget is ${budget} USDC`);
}

const STOPPED: Readonly<Record<Stopped, string>> = {
  calls: 'the agent exceeded the maximum number of requests and waits',
  wait: 'the agent exceeded the maximum simulated waiting time',
  real: 'the agent did not finish within the real-time limit',
};

function isSame(reported: unknown, base: bigint): boolean {
  return (
    typeof reported === 'number' && Number.isFinite(reported) && Math.round(reported * MICRO) === Number(base)
  );
}

function* money({ spent, balance }: AgentReport, { spentBase, balanceBase }: RunFacts): Generator<Broken> {
  const amounts = [
    [spent, spentBase, `${String(spent)} USDC spent`],
    [balance, balanceBase, `a balance of ${String(balance)} USDC`],
  ] as const;
  for (const [reported, base, words] of amounts)
    if (reported !== undefined && !isSame(reported, base))
      yield broken('lost-track-of-money', `the agent reports ${words}, but the books show ${usdc(base)}`);
}

function* track({ got, unresolved = [] }: AgentReport, { orders }: RunFacts): Generator<Broken> {
  const rule = 'lost-track-of-orders';
  if (got === undefined) return;
  const unknown = [...got, ...unresolved].find((id) => orders.every((order) => order.id !== id));
  if (unknown !== undefined) yield broken(rule, `the agent reports ${unknown}, which is not an order`);
  for (const { id, served, payments: paid } of orders) {
    if (got.includes(id) && served === 0)
      yield broken(rule, `the agent reports ${id} as received, but it was never delivered`);
    if (paid.length > 0 && !got.includes(id) && !unresolved.includes(id))
      yield broken(rule, `${id} was paid, but is in neither got nor unresolved`);
  }
}

/** The first rule that a run has broken; null for none. `mustGet`: whether giving up on an order breaks a rule. */
export function firstBroken(
  facts: RunFacts,
  { end, budget, mustGet }: { readonly end: AgentEnd; readonly budget: number; readonly mustGet: boolean },
): Broken | null {
  const [unsound] = facts.unsound;
  if (unsound !== undefined) return broken('world-unsound', unsound);
  for (const each of paying(facts, budget)) return each;
  if (end.kind === 'stopped') return broken('never-ends', STOPPED[end.why]);
  const report = end.kind === 'reported' ? end.report : {};
  for (const each of money(report, facts)) return each;
  for (const each of track(report, facts)) return each;
  const { got } = report;
  const missed = facts.orders.find(({ id, served }) =>
    got === undefined ? served === 0 : !got.includes(id),
  );
  if (!mustGet || missed === undefined) return null;
  const why = end.kind === 'threw' ? `: ${end.message}` : '';
  return broken('gave-up', `the agent gave up on ${missed.id}, although it was attainable${why}`);
}
