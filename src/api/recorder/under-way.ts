import type { Taking } from './taking.js';

/** What is under way by its request, in the order in which it began. Most calls end before another begins, and take no place in a map. */
export class UnderWay {
  readonly #others = new Map<string, Taking>();
  #lastId = '';
  #last: Taking | null = null;

  set(requestId: string, taking: Taking): void {
    if (this.#last !== null) this.#others.set(this.#lastId, this.#last);
    this.#lastId = requestId;
    this.#last = taking;
  }

  get(requestId: string): Taking | undefined {
    return this.#last !== null && requestId === this.#lastId ? this.#last : this.#others.get(requestId);
  }

  delete(requestId: string): void {
    if (requestId === this.#lastId) this.#last = null;
    else this.#others.delete(requestId);
  }

  *values(): Iterable<Taking> {
    yield* this.#others.values();
    if (this.#last !== null) yield this.#last;
  }
}
