import type { PendingLine } from './pending-line.js';

/** In-flight inputs by request id, in order of arrival. Most calls end before the next begins, and never enter the map. */
export class InFlightCalls {
  readonly #others = new Map<string, PendingLine>();
  #lastId = '';
  #last: PendingLine | null = null;

  set(requestId: string, pending: PendingLine): void {
    if (this.#last !== null) this.#others.set(this.#lastId, this.#last);
    this.#lastId = requestId;
    this.#last = pending;
  }

  get(requestId: string): PendingLine | undefined {
    return this.#last !== null && requestId === this.#lastId ? this.#last : this.#others.get(requestId);
  }

  delete(requestId: string): void {
    if (requestId === this.#lastId) this.#last = null;
    else this.#others.delete(requestId);
  }

  *values(): Iterable<PendingLine> {
    yield* this.#others.values();
    if (this.#last !== null) yield this.#last;
  }
}
