import { type AgentClient, BankError } from '../../../src/sdk/client/client.js';
import { type Payer, PaymentError, payingFetch } from '../../../src/sdk/x402/index.js';
import type { AgentUnderTest } from '../../../src/testing/fuzz-library.js';

/** The example that users copy. */
export async function carefulAgent(): Promise<AgentUnderTest> {
  const path = new URL('../../../fixtures/agents/careful.mjs', import.meta.url).href;
  const module = (await import(path)) as { carefulAgent: AgentUnderTest };
  return module.carefulAgent;
}

/** The faults of a shopper; without any it is careful. */
export interface Habits {
  /** Pays without an Idempotency-Key. */
  readonly noKey?: true;
  /** Trusts the 402 entirely. */
  readonly anyRecipient?: true;
  readonly anyPrice?: true;
  readonly anyToken?: true;
  readonly anyBudget?: true;
  /** Pays anew when a receipt is not taken. */
  readonly paysAgain?: true;
  /** Takes a pending payment for one that has failed. */
  readonly noPending?: true;
  /** Adds up what it tries to pay, and reports that. */
  readonly countsTries?: true;
  /** Asks again for what it cannot buy. */
  readonly neverTires?: true;
  /** Does not report what it paid for and did not get. */
  readonly forgets?: true;
}

/** How an order ended; `refused` is a receipt that was not taken. */
type Outcome = 'got' | 'refused' | 'unresolved' | 'none';

/** The agent's client at the bank, with habits. */
class HabitualPayer implements Payer {
  /** What it tried to pay, whatever came of it. */
  tried = 0;
  readonly #keys = new Set<string>();
  #payments = 0;

  constructor(
    readonly client: AgentClient,
    readonly habits: Habits,
  ) {}

  async pay(body: Parameters<Payer['pay']>[0], { idempotencyKey: key = '' } = {}): ReturnType<Payer['pay']> {
    const { noKey, noPending } = this.habits;
    if (!this.#keys.has(key)) this.tried += body.amount;
    this.#keys.add(key);
    const idempotencyKey = noPending === true ? `${key}/${this.#payments}` : key;
    try {
      return await this.client.pay(body, noKey === true ? {} : { idempotencyKey });
    } catch (error) {
      // Another key for what it takes for another payment.
      if (error instanceof BankError && error.details['status'] === 'pending') this.#payments += 1;
      throw error;
    }
  }
}

/** An agent on the library's own paying fetch that buys each order, with habits. */
export function shopper(habits: Habits = {}): AgentUnderTest {
  const { anyRecipient, anyPrice, anyToken, anyBudget, paysAgain, neverTires } = habits;
  const repeats: Readonly<Record<Outcome, number>> = {
    got: 0,
    refused: paysAgain === true ? 5 : 0,
    unresolved: 0,
    none: neverTires === true ? Number.POSITIVE_INFINITY : 0,
  };
  return async ({ fetch, client, orders, budget, now, sleep }) => {
    const payer = new HabitualPayer(client, habits);
    // In cents, which sums of floats would miss.
    let left = Math.round(budget * 100);

    const buy = async ({ url, maxPrice, seller }: (typeof orders)[number]): Promise<Outcome> => {
      const limits = [...(anyPrice === true ? [] : [maxPrice]), ...(anyBudget === true ? [] : [left / 100])];
      const paying = payingFetch(fetch, payer, {
        maxAmount: { USDC: Math.min(1_000, ...limits), ...(anyToken === true ? { SOL: 1 } : {}) },
        ...(anyRecipient === true ? {} : { recipient: seller }),
        wait: sleep,
        clock: { nowMs: now },
      });
      try {
        const { ok } = await paying(url, { redirect: anyRecipient === true ? 'follow' : 'manual' });
        return ok ? 'got' : 'none';
      } catch (error) {
        if (!(error instanceof PaymentError) || error.isPaid === false) return 'none';
        return error.code === 'refused_after_payment' ? 'refused' : 'unresolved';
      }
    };

    const outcomes = new Map<string, Outcome>();
    for (const order of orders) {
      let outcome = await buy(order);
      for (let round = 0; round < repeats[outcome]; round += 1) outcome = await buy(order);
      outcomes.set(order.id, outcome);
      if (outcome !== 'none') left -= Math.round(order.maxPrice * 100);
    }
    const idsOf = (...ends: Outcome[]) =>
      orders.map(({ id }) => id).filter((id) => ends.includes(outcomes.get(id) ?? 'none'));
    return {
      got: idsOf('got'),
      unresolved: habits.forgets === true ? [] : idsOf('refused', 'unresolved'),
      ...(habits.countsTries === true ? { spent: payer.tried } : {}),
    };
  };
}
