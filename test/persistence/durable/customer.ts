import { expect } from 'vitest';
import { BASE_PATH } from '../../../src/contract/endpoints.js';
import type { FetchLike } from '../../../src/core/fetch.js';
import { AgentClient, BankError } from '../../../src/sdk/client/client.js';
import type { Simulator } from '../../../src/simulator/simulator.js';
import type { Random } from '../../../src/testing/study/random.js';

/** A call that moves money, under a key of its own. No two of a customer have the same amount. */
interface Call {
  readonly key: string;
  readonly amount: number;
  /** Resolves to the id that the answer gives to what was done. */
  readonly make: () => Promise<string>;
}

const NOWHERE = 'http://sim.local';

interface Line {
  readonly id: string;
  readonly amount: number;
  readonly status: string;
}

const isRefusal = (error: unknown) => error instanceof BankError && error.code === 'storage_unavailable';

/** What fetch throws when the service dies before its answer, or in it. */
const isGone = (error: unknown) =>
  error instanceof TypeError && /^(?:fetch failed|terminated)/.test(error.message);

/** Somebody who uses a service that is killed again and again, and knows what it has answered. */
export class Customer {
  /** Amounts of everything that was answered, by id. */
  readonly answered = new Map<string, number>();
  readonly refused: string[] = [];
  /** Called with each answer that it has got. */
  onAnswer: () => void = () => undefined;
  readonly agent: AgentClient;
  readonly #payee: string;
  readonly #name: string;
  readonly #random: Random;
  #fetch: FetchLike;
  #calls = 0;
  /** Null when everything has been answered. */
  #pending: Call | null = null;
  /** Lines of the history that were there at the last look. */
  #seen: number;
  /** What was answered and has been looked for. */
  readonly #old = new Set<string>();

  /** Begins as a customer of a simulator of this process. */
  constructor(
    sim: Simulator,
    parts: { agent: AgentClient; payee: string; name: string; random: Random; lines: number },
  ) {
    this.#fetch = sim.fetch;
    this.agent = new AgentClient({
      baseUrl: NOWHERE + BASE_PATH,
      wallet: parts.agent.wallet,
      fetch: (url, init) => this.#fetch(url, init),
    });
    this.#payee = parts.payee;
    this.#name = parts.name;
    this.#random = parts.random;
    this.#seen = parts.lines;
  }

  /** Calls a service from now on, with the token that an earlier one gave. */
  moveTo(origin: string): void {
    this.#fetch = (url, init) => fetch(url.replace(NOWHERE, origin), init);
  }

  /** Calls the service until it is not there any more. `until` ends it earlier. */
  async live(until: () => boolean = () => false): Promise<void> {
    try {
      while (!until()) {
        await this.#make(this.#next());
        this.onAnswer();
        if (this.#random.chance(20)) await this.agent.account();
      }
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  /** Checks that everything that was answered is there, and makes the call again that was not answered. */
  async lookBack(): Promise<void> {
    const before = await this.#lines();
    const pending = this.#pending;
    for (const line of before.values()) this.#check(line, pending);
    this.#haveAll(before);
    if (pending === null) return;
    const begun = [...before.values()].filter(({ amount }) => amount === pending.amount);
    expect(begun.length, 'what was not answered was done twice').toBeLessThanOrEqual(1);
    const id = await this.#make(pending);
    const after = new Map([...before, ...(await this.#lines())]);
    this.#haveAll(after);
    const done = [...after.values()].filter(
      ({ amount, status }) => amount === pending.amount && status === 'completed',
    );
    expect(
      done.map((line) => line.id),
      `a repeat under ${pending.key}`,
    ).toEqual([id]);
  }

  /** Makes a call; gives its id, or null when it was refused. */
  async #make(call: Call): Promise<string | null> {
    this.#pending = call;
    const id = await call.make().catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      return null;
    });
    this.#pending = null;
    if (id === null) this.refused.push(call.key);
    else this.answered.set(id, call.amount);
    return id;
  }

  // A line is either answered, or what was begun: a payment is sent by now, or given back.
  #check({ id, amount, status }: Line, pending: Call | null): void {
    if (this.answered.has(id)) {
      expect(this.answered.get(id)).toBe(amount);
      expect(status).toBe('completed');
    } else if (amount === pending?.amount) expect(['completed', 'failed']).toContain(status);
    else expect({ status, name: this.#name, amount }).toMatchObject({ status: 'failed' });
  }

  #haveAll(lines: ReadonlyMap<string, Line>): void {
    for (const id of this.answered.keys()) {
      if (!this.#old.has(id)) expect(lines.has(id), `${id} was answered and is not there`).toBe(true);
      this.#old.add(id);
    }
  }

  /** Lines of the history that are new since the last look. */
  async #lines(): Promise<Map<string, Line>> {
    const lines = new Map<string, Line>();
    for (let offset = 0; ; offset += 100) {
      const { transactions, pagination } = await this.agent.transactions({ limit: 100, offset });
      const left = pagination.total - this.#seen - offset;
      for (const line of transactions.slice(0, Math.max(0, left))) lines.set(line.id, line);
      if (left > 100) continue;
      this.#seen = pagination.total;
      return lines;
    }
  }

  #next(): Call {
    this.#calls += 1;
    const amount = (1_000 + this.#calls) / 1e6;
    const key = `${this.#name}-${this.#calls}`;
    const [money, options] = [{ amount, token: 'USDC' } as const, { idempotencyKey: key }];
    const payment = { ...money, recipient: this.#payee, service_url: 'https://service.example' };
    const make = this.#random.pick([
      async () => (await this.agent.depositSavings(money, options)).savings_deposit.id,
      async () => (await this.agent.withdraw(money, options)).withdrawal.id,
      async () => (await this.agent.pay(payment, options)).payment_id,
    ]);
    return { key, amount, make };
  }
}
