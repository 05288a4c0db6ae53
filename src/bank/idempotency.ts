import { hash as digestOf } from 'node:crypto';
import canonicalize from 'canonicalize';
import { DAY_MS } from '../core/domain/calendar.js';
import { type Result, refuse } from '../core/domain/result.js';
import { type TtlMap, getLive, nothing } from '../core/ttl-map.js';
import { copied, storeResult } from './stored-results.js';
import type { BankChangeListener, InFlightKey, Stored } from './in-flight-work.js';

/** Lifetime of a key: 24 hours. */
const LIFETIME_MS = DAY_MS;

/** A repeatable call: the caller's key, and the identity of the call. */
export interface RepeatableCall {
  /** The request id in the context of the call's entries. */
  readonly requestId: string | null;
  readonly wallet: string;
  readonly key: string;
  readonly operation: string;
  readonly input: unknown;
  /** The current outcome of an outflow that was in flight; null when it failed. */
  readonly outcomeNow: (outflow: number) => Result<unknown> | null;
  /** Called when it repeats a call, with the request id of the first; null when that is no longer known. */
  readonly onRepeat: (requestId: string | null) => void;
}

/** Canonical text of a call, for hashing. JSON input may contain infinite numbers, which have no canonical form. */
function textOf(call: { readonly operation: string; readonly input: unknown }): string {
  try {
    return canonicalize(call) ?? '';
  } catch {
    return JSON.stringify(call, (_name, value: unknown) =>
      typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
    );
  }
}

/** A call without a response yet. */
interface Running {
  readonly hash: string;
  readonly requestId: string | null;
  readonly expiresMs: number;
  /** The outflow that it has reserved; null before the reservation. */
  outflow: number | null;
  /** Null only until its work has begun. */
  answer: Promise<Result<unknown>> | null;
}

/**
 * Returns the first call's response to a repeated call. Only successes are stored: a refusal changed nothing, so the
 * call may be repeated under the same key. Transfers sent with unknown outcome are stored too: a repeat returns their
 * outcome, and sends again only after a failure. A repeat that arrives while the first call runs waits for it.
 */
export class Idempotency {
  #stored: TtlMap<Stored> = nothing();
  readonly #running = new Map<string, Running>();
  readonly #maxKeys: number;
  /** Requests whose results are stored, by key; for explanations, and not part of the world. */
  readonly #firstRequests = new Map<string, string | null>();
  /** Called with each stored result. */
  onChange: BankChangeListener = () => undefined;

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys;
  }

  async once<V>(call: RepeatableCall, nowMs: number, work: () => Promise<Result<V>>): Promise<Result<V>> {
    const id = `${call.wallet}/${call.key}`;
    const text = textOf({ operation: call.operation, input: call.input });
    const hash = digestOf('sha256', text, 'base64');
    const reused = () => refuse('idempotency_key_reused', { idempotency_key: call.key });
    const stored = getLive(this.#stored, id, nowMs);
    if (stored !== undefined) {
      if (stored.hash !== hash) return reused();
      const answer = stored.answer ?? call.outcomeNow(stored.underWay as number);
      if (answer !== null) {
        call.onRepeat(this.#firstRequests.get(id) ?? null);
        return answer as Result<V>;
      }
    }
    const before = this.#running.get(id);
    if (before !== undefined) {
      if (before.hash !== hash) return reused();
      const answer = await (before.answer as Promise<Result<V>>);
      if (answer.ok) call.onRepeat(before.requestId);
      return copied(answer);
    }
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
        this.#remember(id, requestId);
      }
      return result;
    } finally {
      this.#running.delete(id);
    }
  }

  #remember(id: string, requestId: string | null): void {
    this.#firstRequests.delete(id);
    this.#firstRequests.set(id, requestId);
    const [oldest] = this.#firstRequests.keys();
    if (this.#firstRequests.size > this.#maxKeys && oldest !== undefined) this.#firstRequests.delete(oldest);
  }

  /** Whether the limit of keys is reached, counting calls in flight. */
  #isFull(nowMs: number): boolean {
    const { values, order } = this.#stored;
    const over = values.size + this.#running.size - this.#maxKeys;
    if (over < 0) return false;
    // Expired results are dropped when the next one is stored, the oldest first. There is room if enough of them have expired.
    const lastToGo = order.get(over);
    return lastToGo === undefined || getLive(this.#stored, lastToGo, nowMs) !== undefined;
  }

  keep(key: string, entry: { value: Stored; expiresMs: number }, nowMs: number): void {
    const { value, expiresMs } = entry;
    this.#stored = storeResult(this.#stored, key, entry, nowMs);
    this.onChange('kept', { key, stored: value, expiresMs, nowMs });
  }

  /** Records that a call has reserved an outflow: from here on, a repeat must not reserve another. */
  reserved(requestId: string | null, outflow: number): void {
    if (requestId === null) return;
    for (const running of this.#running.values())
      if (running.requestId === requestId) running.outflow = outflow;
  }

  /** Calls in flight that have reserved an outflow. */
  underWay(): InFlightKey[] {
    const calls: InFlightKey[] = [];
    for (const [id, { hash, outflow, expiresMs }] of this.#running)
      if (outflow !== null) calls.push({ id, stored: { hash, answer: null, underWay: outflow }, expiresMs });
    return calls;
  }

  snapshot(): TtlMap<Stored> {
    return this.#stored;
  }

  restore(snapshot: TtlMap<Stored>): void {
    this.#stored = snapshot;
    this.#firstRequests.clear();
  }
}
