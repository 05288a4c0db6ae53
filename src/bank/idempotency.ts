import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { DAY_MS } from '../domain/calendar.js';
import { type Result, refuse } from '../domain/result.js';
import { type Expiring, nothing, recall, remember } from './expiring.js';

/** Keys are kept for 24 hours. */
const LIFETIME_MS = DAY_MS;

interface Stored {
  readonly hash: string;
  readonly answer: Result<unknown>;
}

/** A call that may be repeated: the caller's key, and what tells one call from another. */
export interface RepeatableCall {
  readonly wallet: string;
  readonly key: string;
  readonly operation: string;
  readonly input: unknown;
}

/**
 * Answers a repeated call with the answer of the first. Only successes are kept: a refusal changed nothing, so the call may be
 * made again under the same key. A repeat that comes while the first is under way waits for it.
 */
export class Idempotency {
  #stored: Expiring<Stored> = nothing();
  readonly #running = new Map<string, { hash: string; answer: Promise<Result<unknown>> }>();

  async once<V>(call: RepeatableCall, nowMs: number, work: () => Promise<Result<V>>): Promise<Result<V>> {
    const id = `${call.wallet}/${call.key}`;
    const text = canonicalize({ operation: call.operation, input: call.input }) ?? '';
    const hash = createHash('sha256').update(text).digest('base64');
    const reused = () => refuse('idempotency_key_reused', { idempotency_key: call.key });
    const stored = recall(this.#stored, id, nowMs);
    if (stored !== undefined) return stored.hash === hash ? (stored.answer as Result<V>) : reused();
    const running = this.#running.get(id);
    if (running !== undefined)
      return running.hash === hash ? (running.answer as Promise<Result<V>>) : reused();
    const answer = work();
    this.#running.set(id, { hash, answer });
    try {
      const result = await answer;
      if (result.ok) {
        const entry = { value: { hash, answer: result }, expiresMs: nowMs + LIFETIME_MS };
        this.#stored = remember(this.#stored, id, entry, nowMs);
      }
      return result;
    } finally {
      this.#running.delete(id);
    }
  }

  mark(): Expiring<unknown> {
    return this.#stored;
  }

  restore(mark: Expiring<unknown>): void {
    this.#stored = mark as Expiring<Stored>;
  }
}
