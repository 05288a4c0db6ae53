import { expect } from 'vitest';
import { BASE_PATH } from '../../../src/contract/endpoints.js';
import type { Random } from '../../../src/testing/study/random.js';

/** A call that moves money, under a key of its own. No two of a customer have the same amount. */
interface Call {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly key: string;
  readonly amount: number;
}

/** What a call came to. */
interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

interface Line {
  readonly id: string;
  readonly amount: number;
  readonly status: string;
}

/** The id that an answer gives to what was done. */
function idOf(body: Record<string, unknown>): string {
  const done = (body['savings_deposit'] ?? body['withdrawal']) as { id: string } | undefined;
  return done?.id ?? (body['payment_id'] as string);
}

/** Somebody who uses a service that is killed again and again, and knows what it has answered. */
export class Customer {
  /** Amounts of everything that was answered, by id. */
  readonly answered = new Map<string, number>();
  readonly refused: string[] = [];
  /** Called with each answer that it has got. */
  onAnswer: () => void = () => undefined;
  readonly #token: string;
  readonly #payee: string;
  readonly #name: string;
  readonly #random: Random;
  #calls = 0;
  /** Null when everything has been answered. */
  #pending: Call | null = null;
  /** Lines of the history that were there at the last look. */
  #seen = 0;

  constructor(parts: { token: string; payee: string; name: string; random: Random; lines: number }) {
    this.#token = parts.token;
    this.#payee = parts.payee;
    this.#name = parts.name;
    this.#random = parts.random;
    this.#seen = parts.lines;
  }

  /** Calls the service until it is not there any more. `until` ends it earlier. */
  async live(origin: string, until: () => boolean = () => false): Promise<void> {
    while (!until()) {
      this.#pending = this.#next();
      const answer = await this.#post(origin, this.#pending).catch(() => null);
      if (answer === null) return;
      this.#note(this.#pending, answer);
      this.#pending = null;
      this.onAnswer();
      if (!this.#random.chance(20)) continue;
      const read = await this.account(origin).catch(() => null);
      if (read === null) return;
      if (read.status !== 200) throw new Error(`a read was refused: ${JSON.stringify(read.body)}`);
    }
  }

  /** Checks that everything that was answered is there, and makes the call again that was not answered. */
  async lookBack(origin: string): Promise<void> {
    const before = await this.#lines(origin);
    const pending = this.#pending;
    for (const line of before.values()) this.#check(line, pending);
    this.#haveAll(before);
    if (pending === null) return;
    const begun = [...before.values()].filter(({ amount }) => amount === pending.amount);
    expect(begun.length, 'what was not answered was done twice').toBeLessThanOrEqual(1);
    const again = await this.#post(origin, pending);
    this.#note(pending, again);
    this.#pending = null;
    const after = new Map([...before, ...(await this.#lines(origin))]);
    this.#haveAll(after);
    const done = [...after.values()].filter(
      ({ amount, status }) => amount === pending.amount && status === 'completed',
    );
    expect(
      done.map(({ id }) => id),
      `a repeat under ${pending.key}`,
    ).toEqual([idOf(again.body)]);
  }

  async account(origin: string): Promise<Answer> {
    return this.#ask(`${origin}${BASE_PATH}/agent/account`, {});
  }

  #note(call: Call, { status, body }: Answer): void {
    if (status === 200) this.answered.set(idOf(body), call.amount);
    else if (body['code'] === 'storage_unavailable') this.refused.push(call.key);
    else throw new Error(`${call.path} ${status} ${JSON.stringify(body)}`);
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

  /** What was answered and has been looked for. */
  readonly #old = new Set<string>();

  /** Lines of the history that are new since the last look. */
  async #lines(origin: string): Promise<Map<string, Line>> {
    const lines = new Map<string, Line>();
    for (let offset = 0; ; offset += 100) {
      const page = await this.#ask(
        `${origin}${BASE_PATH}/agent/account/transactions?limit=100&offset=${offset}`,
        {},
      );
      expect(page.status, JSON.stringify(page.body)).toBe(200);
      const { total } = page.body['pagination'] as { total: number };
      const left = total - this.#seen - offset;
      for (const line of (page.body['transactions'] as Line[]).slice(0, Math.max(0, left)))
        lines.set(line.id, line);
      if (left > 100) continue;
      this.#seen = total;
      return lines;
    }
  }

  #next(): Call {
    this.#calls += 1;
    const amount = (1_000 + this.#calls) / 1e6;
    const key = `${this.#name}-${this.#calls}`;
    const money = { amount, token: 'USDC' };
    const kind = this.#random.pick(['savings', 'withdraw', 'pay'] as const);
    const account = '/agent/account';
    if (kind === 'savings') return { path: `${account}/savings/deposit`, body: money, key, amount };
    if (kind === 'withdraw') return { path: `${account}/withdraw`, body: money, key, amount };
    const body = { ...money, recipient: this.#payee, service_url: 'https://service.example' };
    return { path: `${account}/x402/pay`, body, key, amount };
  }

  #post(origin: string, { path, body, key }: Call): Promise<Answer> {
    return this.#ask(origin + BASE_PATH + path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
    });
  }

  async #ask(url: string, init: RequestInit): Promise<Answer> {
    const headers = { authorization: `Bearer ${this.#token}`, ...(init.headers as Record<string, string>) };
    const answer = await fetch(url, { ...init, headers });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }
}
