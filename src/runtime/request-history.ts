import type { InFlightWork } from '../bank/in-flight-work.js';
import { isoOf } from '../core/domain/calendar.js';
import type { RequestEvent } from './events/event.js';
import { PAGE_ROWS, cursorNumber } from './inspection/page.js';
import type { PageQuery } from './inspection/queries.js';
import { NotFound } from './refusals.js';
import type { WorldSnapshot } from './snapshot-store.js';
import type { WorldParts } from './world-parts.js';

/** A request; status and code are null until its response. */
export interface RememberedRequest extends Pick<
  RequestEvent,
  'interface' | 'method' | 'path' | 'operation' | 'wallet' | 'status' | 'code'
> {
  readonly requestId: string;
}

/** The world before a request. */
export interface HistoryPoint {
  readonly request: RememberedRequest;
  readonly snapshot: WorldSnapshot;
  /** The work of other requests in flight at that instant. */
  readonly underWay: InFlightWork;
  /** The number of the last event before it. */
  readonly lastEvent: number;
}

type Parts = Pick<WorldParts, 'config' | 'embedded' | 'events' | 'bank' | 'snapshots'>;

/**
 * Snapshots of the world before its last requests that may write. They share memory with the world and each other, do
 * not count towards the limit `snapshots`, and are lost when the process ends.
 */
export class RequestHistory {
  readonly #parts: Parts;
  /** Maximum number of snapshots; 0 on a cluster. */
  readonly #limit: number;
  /** Oldest first, numbered from 1. */
  readonly #points = new Map<string, HistoryPoint & { readonly number: number }>();
  #taken = 0;
  /** The number of the last event before the snapshot that was dropped last. */
  #droppedAt = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#limit = parts.embedded === null ? 0 : parts.config.history;
  }

  /** Takes the snapshot before a request, unless it has one. Must run in the world. */
  before(request: RememberedRequest): void {
    const { events, bank, snapshots } = this.#parts;
    if (this.#limit === 0 || this.#points.has(request.requestId)) return;
    this.#taken += 1;
    this.#points.set(request.requestId, {
      request,
      lastEvent: events.last,
      number: this.#taken,
      snapshot: snapshots.captureUnchecked(),
      underWay: bank.underWay(),
    });
    if (this.#points.size <= this.#limit) return;
    const [oldest] = this.#points.values();
    if (oldest === undefined) return;
    this.#droppedAt = oldest.lastEvent;
    this.#points.delete(oldest.request.requestId);
  }

  /**
   * The world before a request, by its id or the number of one of its events; for a read, before the first write after
   * it. Throws NotFound, or RangeError without stored snapshots or writes since the read.
   */
  get(event: string | number): HistoryPoint {
    if (this.#limit === 0)
      throw new RangeError(
        'no snapshots are kept before requests; start the simulator with --history <number>',
      );
    const requestId = this.#requestOf(`${event}`);
    const point = this.#points.get(requestId) ?? this.#afterRead(requestId);
    if (point !== null) return point;
    throw new NotFound(
      'snapshot_not_found',
      `no snapshot is kept before ${requestId}: only the snapshots before the last ${this.#limit} requests that may write (--history) are kept, since the start of the process`,
    );
  }

  /** A page of the requests with a snapshot, newest first. Throws RangeError for a bad cursor. */
  page({ cursor, limit = PAGE_ROWS }: PageQuery = {}) {
    const below = cursor === undefined ? Infinity : cursorNumber(cursor, this.#taken);
    const older = [...this.#points.values()].filter(({ number }) => number < below).toReversed();
    const rows = older.slice(0, limit);
    return {
      requests: rows.map(rowOf),
      /** The `cursor` of the next page; null at the end. */
      next: older.length > rows.length ? `${rows.at(-1)?.number}` : null,
      /** The number of snapshots, and its maximum. */
      size: this.#points.size,
      limit: this.#limit,
    };
  }

  /** The world before the first write after a read, unless it changed by itself in between; null when that is unknown. */
  #afterRead(requestId: string): HistoryPoint | null {
    const { events } = this.#parts;
    const read = events.ofRequest(requestId).find(({ body }) => body.kind === 'request');
    if (read === undefined || read.seq <= this.#droppedAt) return null;
    let next: HistoryPoint | null = null;
    for (const point of this.#points.values()) {
      if (point.lastEvent < read.seq) continue;
      next = point;
      break;
    }
    for (let seq = read.seq + 1; seq <= (next?.lastEvent ?? events.last); seq += 1) {
      if (events.bodyAt(seq)?.kind !== 'request') return null;
    }
    if (next === null)
      throw new RangeError(`nothing was written since ${requestId}: only the time has changed`);
    return next;
  }

  #requestOf(event: string): string {
    if (!/^\d+$/.test(event)) return event;
    const found = this.#parts.events.at(Number(event));
    if (found === null) throw new NotFound('event_not_found', `event ${event} is not in the log's memory`);
    if (found.requestId !== null) return found.requestId;
    throw new NotFound(
      'snapshot_not_found',
      `no snapshot is kept before event ${event}: no request caused it; name an event that a request caused`,
    );
  }
}

function rowOf({ request, snapshot, lastEvent }: HistoryPoint) {
  const { requestId, method, path, operation, wallet, status, code } = request;
  return {
    requestId,
    interface: request.interface,
    method,
    path,
    operation,
    wallet,
    status,
    code,
    at: isoOf(snapshot.clock.nowMs),
    /** The number of the last event before it. */
    after: lastEvent,
  };
}

/**
 * A request with a stored snapshot.
 * @interface
 */
export type HistoryRow = Readonly<ReturnType<typeof rowOf>>;

/**
 * A page of the requests with a stored snapshot.
 * @interface
 */
export type HistoryPage = Readonly<ReturnType<RequestHistory['page']>>;
