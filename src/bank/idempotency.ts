import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { DAY_MS } from '../domain/calendar.js';
import { type Result, refuse } from '../domain/result.js';
import { type Expiring, nothing, recall, remember } from './expiring.js';

/** Keys are kept for 24 hours. */
const LIFETIME_MS = DAY_MS;

/** What is kept of a call. */
export interface Stored {
  readonly hash: string;
  /** Null while what was asked for is under way. */
  readonly answer: Result<unknown> | null;
  /** The outflow that was under way when it was answered. */
  readonly underWay: number | null;
}

/** A call that may be repeated: the caller's key, and what tells one call from another. */
export interface RepeatableCall {
  readonly wallet: string;
  readonly key: string;
  readonly operation: string;
  readonly input: unknown;
  /** What has become of an outflow that was under way; null when it came to nothing. */
  readonly outcomeNow: (outflow: number) => Result<unknown> | null;
}

/**
 * Answers a repeated call with the answer of the first. Only successes are kept: a refusal changed nothing, so the call may be
 * made again under the same key. What was sent while its outcome could not be told is kept too: a repeat is told what became of it,
 * and sends anew only after it has come to nothing. A repeat that comes while the first runs waits for it.
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
    if (stored !== undefined) {
      if (stored.hash !== hash) return reused();
      const kept = stored.answer ?? call.outcomeNow(stored.underWay as number);
      if (kept !== null) return kept as Result<V>;
    }
    const running = this.#running.get(id);
    if (running !== undefined)
      return running.hash === hash ? (running.answer as Promise<Result<V>>) : reused();
    const answer = work();
    this.#running.set(id, { hash, answer });
    try {
      const result = await answer;
      const underWay = result.ok ? null : (result.refusal.underWay ?? null);
      if (result.ok || underWay !== null) {
        const value = { hash, answer: result.ok ? result : null, underWay };
        const entry = { value, expiresMs: nowMs + LIFETIME_MS };
        this.#stored = remember(this.#stored, id, entry, nowMs);
      }
      return result;
    } finally {
      this.#running.delete(id);
    }
  }

  mark(): Expiring<Stored> {
    return this.#stored;
  }

  restore(mark: Expiring<Stored>): void {
    this.#stored = mark;
  }
}
