import type { FetchLike } from '../../../src/sdk/client/client.js';

/** A line that loses what it is told to lose, before it arrives or on the way back. */
export class Line {
  /** By the end of a path (`+receipt` follows where one is shown): how many answers are lost. */
  readonly answers = new Map<string, number>();
  /** The same for requests. */
  readonly requests = new Map<string, number>();
  /** The paths of all that was sent. */
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

  #loses(rollbackCount: Map<string, number>, name: string): boolean {
    for (const [part, left] of rollbackCount) {
      if (!name.endsWith(part) || left === 0) continue;
      rollbackCount.set(part, left - 1);
      return true;
    }
    return false;
  }
}
