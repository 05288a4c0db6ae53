import { hash as digestOf } from 'node:crypto';
import canonicalize from 'canonicalize';
import { DAY_MS } from '../core/domain/calendar.js';
import { type Result, refuse } from '../core/domain/result.js';
import { getLive } from './ttl-map.js';
import { type KeptCalls, NO_CALLS, keepCall } from './kept-calls.js';
import type { BankChangeListener, InFlightKey, Stored } from './in-flight-work.js';

/** Keys are kept for 24 hours. */
const LIFETIME_MS = DAY_MS;

/** A call that may be repeated: the caller's key, and what tells one call from another. */
export interface RepeatableCall {
  /** What of the call's entries tells whose they are. */
  readonly requestId: string | null;
  readonly wallet: string;
  readonly key: string;
  readonly operation: string;
  readonly input: unknown;
  /** What has become of an outflow that was under way; null when it came to nothing. */
  readonly outcomeNow: (outflow: number) => Result<unknown> | null;
}

/** What tells a call from another, as text. JSON may write numbers that are infinite, which no canonical form has. */
function textOf(call: { readonly operation: string; readonly input: unknown }): string {
  try {
    return canonicalize(call) ?? '';
  } catch {
    return JSON.stringify(call, (_name, value: unknown) =>
      typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
    );
  }
}

/** A call that is not answered yet. */
interface Running {
  readonly hash: string;
  readonly requestId: string | null;
  readonly expiresMs: number;
  /** The outflow that it has reserved; null before that. */
  outflow: number | null;
  /** Null for no longer than its work takes to begin. */
  answer: Promise<Result<unknown>> | null;
}

/**
 * Answers a repeated call with the answer of the first. Only successes are kept: a refusal changed nothing, so the call may be
 * made again under the same key. What was sent while its outcome could not be told is kept too: a repeat is told what became of it,
 * and sends anew only after it has come to nothing. A repeat that comes while the first runs waits for it.
 */
export class Idempotency {
  #kept = NO_CALLS;
  readonly #running = new Map<string, Running>();
  readonly #maxKeys: number;
  #onKept: BankChangeListener['kept'] = () => undefined;

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys;
  }

  async once<V>(call: RepeatableCall, nowMs: number, work: () => Promise<Result<V>>): Promise<Result<V>> {
    const id = `${call.wallet}/${call.key}`;
    const text = textOf({ operation: call.operation, input: call.input });
    const hash = digestOf('sha256', text, 'base64');
    const reused = () => refuse('idempotency_key_reused', { idempotency_key: call.key });
    const stored = getLive(this.#kept.calls, id, nowMs);
    if (stored !== undefined) {
      if (stored.hash !== hash) return reused();
      const kept = stored.answer ?? call.outcomeNow(stored.underWay as number);
      if (kept !== null) return kept as Result<V>;
    }
    const before = this.#running.get(id);
    if (before !== undefined) return before.hash === hash ? (before.answer as Promise<Result<V>>) : reused();
    if (stored === undefined && this.#isFull(nowMs))
      return refuse('idempotency_keys_full', { max_keys: this.#maxKeys });
    const { requestId } = call;
    const running: Running = { hash, requestId, expiresMs: nowMs + LIFETIME_MS, outflow: null, answer: null };
    this.#running.set(id, running);
    try {
      const answer = work();
      running.answer = answer;
      const result = await answer;
      const underWay = result.ok ? null : (result.refusal.underWay ?? null);
      if (result.ok || underWay !== null) {
        const value = { hash, answer: result.ok ? result : null, underWay };
        this.keep(id, { value, expiresMs: running.expiresMs }, nowMs);
      }
      return result;
    } finally {
      this.#running.delete(id);
    }
  }

  /** Whether no key can be kept beside those that are, and those of calls under way. */
  #isFull(nowMs: number): boolean {
    const { values, order } = this.#kept.calls;
    if (values.size + this.#running.size < this.#maxKeys) return false;
    const oldest = order.first();
    return oldest === undefined || getLive(this.#kept.calls, oldest, nowMs) !== undefined;
  }

  /** Keeps what came of a call. */
  keep(id: string, entry: { value: Stored; expiresMs: number }, nowMs: number): void {
    this.#kept = keepCall(this.#kept, id, entry, nowMs);
    this.#onKept(id, entry.value, entry.expiresMs, nowMs);
  }

  /** A call has reserved an outflow: from here on, whoever repeats it must not reserve another. */
  reserved(requestId: string | null, outflow: number): void {
    if (requestId === null) return;
    for (const running of this.#running.values())
      if (running.requestId === requestId) running.outflow = outflow;
  }

  /** The calls that have reserved an outflow and are not answered. */
  underWay(): InFlightKey[] {
    const calls: InFlightKey[] = [];
    for (const [id, { hash, outflow, expiresMs }] of this.#running)
      if (outflow !== null) calls.push({ id, stored: { hash, answer: null, underWay: outflow }, expiresMs });
    return calls;
  }

  /** Calls `listener` with everything that is kept. */
  onKept(listener: BankChangeListener['kept']): void {
    this.#onKept = listener;
  }

  snapshot(): KeptCalls {
    return this.#kept;
  }

  restore(snapshot: KeptCalls): void {
    this.#kept = snapshot;
  }
}
