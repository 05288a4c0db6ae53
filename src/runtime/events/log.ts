import { DEFAULT_LIMITS } from '../../core/limits.js';
import { type EventBody, type EventKind, type SimEvent, walletOf } from './event.js';
import { shortRequest, sizeOf } from './size.js';

/** Maximum number of events in memory for queries; older events are in the log file only. */
export const REMEMBERED_EVENTS = 20_000;

export interface EventQuery {
  /** Only events after this number. */
  readonly after: number;
  /** The page size, 1 to 1,000. */
  readonly limit: number;
  readonly kind?: EventKind | undefined;
  readonly requestId?: string | undefined;
  readonly wallet?: string | undefined;
}

export interface EventPage {
  readonly events: readonly SimEvent[];
  /** The value of `after` for the next page; null on the last page. */
  readonly next: number | null;
  readonly oldest: number;
}

/**
 * Everything that happens in a world, numbered in order. The latest events are held in memory, up to a limit
 * in bytes. The log is not part of a snapshot: a revert appends to it.
 */
export class EventLog {
  readonly #nowMs: () => number;
  /** The latest events, by their number modulo `REMEMBERED_EVENTS`, and their sizes in bytes. */
  readonly #events: (SimEvent | null)[] = [];
  readonly #sizes: number[] = [];
  #oldest = 1;
  #last = 0;
  readonly #waiting = new Set<() => void>();

  /** Bytes of all events so far, and of those in memory. */
  #appendedBytes = 0;
  #bytes = 0;

  constructor(
    nowMs: () => number,
    /** Maximum bytes of events in memory; the last event is always kept. */
    readonly maxBytes: number = DEFAULT_LIMITS.eventLogBytes,
  ) {
    this.#nowMs = nowMs;
  }

  /** The number of the last event; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  get oldest(): number {
    return this.#oldest;
  }

  /** Bytes of all events so far, including evicted ones. */
  get appendedBytes(): number {
    return this.#appendedBytes;
  }

  /** Appends an event; text from outside is cut to a fixed length. */
  append(event: EventBody, requestId: string | null, atMs: number = this.#nowMs()): void {
    const body = event.kind === 'request' ? shortRequest(event) : event;
    const bytes = sizeOf(body);
    const seq = this.#last + 1;
    if (seq - this.#oldest >= REMEMBERED_EVENTS) this.#evictOldest();
    while (this.#bytes + bytes > this.maxBytes && this.#oldest < seq) this.#evictOldest();
    this.#bytes += bytes;
    this.#appendedBytes += bytes;
    this.#events[seq % REMEMBERED_EVENTS] = { seq, atMs, requestId, body };
    this.#sizes[seq % REMEMBERED_EVENTS] = bytes;
    this.#last = seq;
    if (this.#waiting.size > 0) for (const wake of this.#waiting) wake();
  }

  /** Forgets all events, and numbers the next one 1. */
  clear(): void {
    this.#oldest = 1;
    this.#last = 0;
    this.#bytes = 0;
  }

  #evictOldest(): void {
    const place = this.#oldest % REMEMBERED_EVENTS;
    this.#bytes -= this.#sizes[place] ?? 0;
    this.#events[place] = null;
    this.#oldest += 1;
  }

  /** An event by its number; null when it was evicted or does not exist yet. */
  at(seq: number): SimEvent | null {
    return seq < this.#oldest || seq > this.#last ? null : (this.#events[seq % REMEMBERED_EVENTS] ?? null);
  }

  /** The body of an event by its number; null when it was evicted or does not exist yet. */
  bodyAt(seq: number): EventBody | null {
    return this.at(seq)?.body ?? null;
  }

  /** The events that match a query, in order. */
  page(query: EventQuery): EventPage {
    const events: SimEvent[] = [];
    let seq = Math.max(query.after + 1, this.oldest);
    for (; seq <= this.#last && events.length < query.limit; seq += 1) {
      const event = this.at(seq) as SimEvent;
      if (query.kind !== undefined && event.body.kind !== query.kind) continue;
      if (query.requestId !== undefined && event.requestId !== query.requestId) continue;
      if (query.wallet !== undefined && walletOf(event) !== query.wallet) continue;
      events.push(event);
    }
    return { events, next: seq > this.#last ? null : seq - 1, oldest: this.oldest };
  }

  /** The events of a request that are in memory, in order. */
  ofRequest(requestId: string): SimEvent[] {
    const found: SimEvent[] = [];
    for (let seq = this.oldest; seq <= this.#last; seq += 1) {
      const event = this.at(seq) as SimEvent;
      if (event.requestId === requestId) found.push(event);
    }
    return found;
  }

  /** The rollbacks in memory: each has undone the events after `after` and before `before`. */
  rollbacks(): { readonly after: number; readonly before: number }[] {
    return this.page({ after: 0, limit: Infinity, kind: 'world' }).events.flatMap(({ seq, body }) =>
      body.kind === 'world' && body.what === 'rolled_back' ? [{ after: Number(body.id), before: seq }] : [],
    );
  }

  /** Calls `wake` after each event, until the returned function is called. */
  onAppend(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }
}
