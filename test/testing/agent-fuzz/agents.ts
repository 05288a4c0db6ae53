import { BankError } from '../../../src/sdk/client/client.js';
import {
  type PaymentReceipt,
  type PaymentRequest,
  encodeHeader,
} from '../../../src/core/domain/payment-request.js';
import type {
  AgentOrder,
  AgentReport,
  AgentTask,
  AgentUnderTest,
} from '../../../src/testing/fuzz-library.js';

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
  readonly neverTires?: true;
  /** Does not report what it paid for and did not get. */
  readonly forgets?: true;
}

interface Offer {
  readonly header: string;
  readonly request: PaymentRequest;
}

const TRIES = 6;

/** A simple agent that buys each order, with habits. */
class Shopper {
  readonly #task: AgentTask;
  readonly #habits: Habits;
  readonly #tries: number;
  #left: number;
  #tried = 0;
  #payments = 0;

  constructor(task: AgentTask, habits: Habits) {
    this.#task = task;
    this.#habits = habits;
    this.#tries = habits.neverTires === true ? Number.POSITIVE_INFINITY : TRIES;
    this.#left = task.budget;
  }

  async shop(): Promise<AgentReport> {
    const got: string[] = [];
    const unresolved: string[] = [];
    for (const order of this.#task.orders) {
      const outcome = await this.#buy(order);
      if (outcome === 'got') got.push(order.id);
      if (outcome === 'unresolved') unresolved.push(order.id);
    }
    return {
      got,
      unresolved: this.#habits.forgets === true ? [] : unresolved,
      ...(this.#habits.countsTries === true ? { spent: this.#tried } : {}),
    };
  }

  async #buy(order: AgentOrder): Promise<'got' | 'unresolved' | 'none'> {
    let offer = await this.#ask(order);
    if (offer === null) return 'none';
    for (let round = 0; round < this.#tries; round += 1) {
      const receipt = await this.#pay(order, offer);
      if (typeof receipt === 'string') return receipt;
      if (await this.#show(order, receipt)) return 'got';
      if (this.#habits.paysAgain !== true) return 'unresolved';
      const again = await this.#ask(order);
      if (again === null) return 'unresolved';
      offer = again;
    }
    return 'unresolved';
  }

  async #get(order: AgentOrder, headers: Record<string, string> = {}): Promise<Response | null> {
    try {
      const redirect = this.#habits.anyRecipient === true ? 'follow' : 'manual';
      return await this.#task.fetch(order.url, { headers, redirect });
    } catch {
      return null;
    }
  }

  async #ask(order: AgentOrder): Promise<Offer | null> {
    for (let attempt = 0; attempt < this.#tries; attempt += 1) {
      const header = (await this.#get(order))?.headers.get('x-payment-request') ?? null;
      if (header !== null) {
        const offer = this.#read(header);
        if (offer !== null && this.#isFine(offer.request, order)) return offer;
      }
      await this.#task.sleep(1_000);
    }
    return null;
  }

  #read(header: string): Offer | null {
    try {
      return { header, request: JSON.parse(atob(header)) as PaymentRequest };
    } catch {
      return null;
    }
  }

  #isFine({ recipient, amount, token, expires_at }: PaymentRequest, order: AgentOrder): boolean {
    const { anyRecipient, anyPrice, anyToken, anyBudget } = this.#habits;
    return (
      (anyRecipient === true || recipient === order.seller) &&
      (anyPrice === true || amount <= order.maxPrice) &&
      (anyToken === true || token === 'USDC') &&
      (anyBudget === true || amount <= this.#left) &&
      Date.parse(expires_at) > this.#task.now()
    );
  }

  async #pay(order: AgentOrder, { header, request }: Offer): Promise<PaymentReceipt | 'unresolved' | 'none'> {
    const { recipient, amount, token, request_id } = request;
    const { noKey, noPending } = this.#habits;
    const body = { recipient, amount, token, service_url: order.url, payment_request: header };
    let isInDoubt = false;
    this.#left -= amount;
    this.#tried += amount;
    for (let attempt = 0; attempt < this.#tries; attempt += 1) {
      const key = noPending === true ? `${request_id}/${this.#payments}` : request_id;
      try {
        const { receipt } = await this.#task.client.pay(body, noKey === true ? {} : { idempotencyKey: key });
        return receipt;
      } catch (error) {
        const isAnswer = error instanceof BankError;
        if (isAnswer && error.status < 500 && error.status !== 429) return isInDoubt ? 'unresolved' : 'none';
        isInDoubt = true;
        // Another key for what it takes for another payment.
        if (isAnswer && error.details['status'] === 'pending') this.#payments += 1;
        await this.#task.sleep(20_000);
      }
    }
    return 'unresolved';
  }

  async #show(order: AgentOrder, receipt: PaymentReceipt): Promise<boolean> {
    for (let attempt = 0; attempt < this.#tries; attempt += 1) {
      const response = await this.#get(order, { 'x-payment-receipt': encodeHeader(receipt) });
      if (response?.ok === true) return true;
      if (response?.status === 402 && this.#habits.paysAgain === true) return false;
      await this.#task.sleep(1_000);
    }
    return false;
  }
}

/** A simple agent with habits. */
export function shopper(habits: Habits = {}): AgentUnderTest {
  return (task) => new Shopper(task, habits).shop();
}
