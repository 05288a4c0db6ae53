import type { FetchLike } from '../../../src/core/fetch.js';

/** A fetch that loses requests before they arrive, or responses on the way back, as configured. */
export class LossyFetch {
  /** By path suffix (plus `+receipt` where one is presented): how many responses are lost. */
  readonly answers = new Map<string, number>();
  /** By path suffix: how many requests are lost. */
  readonly requests = new Map<string, number>();
  /** The paths of all requests sent. */
  readonly sent: string[] = [];

  constructor(readonly to: FetchLike) {}

  fetch: FetchLike = async (url, init) => {
    const name = `${new URL(url).pathname}${new Headers(init?.headers).has('x-payment-receipt') ? '+receipt' : ''}`;
    this.sent.push(name);
    if (this.#loses(this.requests, name)) throw new TypeError('fetch failed: connection refused');
    const response = await this.to(url, init);
    if (this.#loses(this.answers, name)) throw new TypeError('fetch failed: socket hang up');
    return response;
  };

  #loses(losses: Map<string, number>, name: string): boolean {
    for (const [part, left] of losses) {
      if (!name.endsWith(part) || left === 0) continue;
      losses.set(part, left - 1);
      return true;
    }
    return false;
  }
}
