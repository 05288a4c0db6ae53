import type { AskedPayment, PaywallClock, PaywallStorage } from './ports.js';

const MAX_ASKED = 100_000;

/**
 * Keeps a paywall's memory in this process. What has expired is forgotten; of payments that were asked for, the oldest go when
 * there are more than `maxAsked`, since anybody can make a paywall ask. Used receipts are never forgotten before their time.
 */
export class MemoryStorage implements PaywallStorage {
  readonly #clock: PaywallClock;
  readonly #maxAsked: number;
  /** In the order of asking. */
  readonly #asked = new Map<string, AskedPayment>();
  readonly #used = new Map<string, number>();
  /** How many used receipts there may be before those that have expired are looked for. */
  #sweepAt = 1_024;

  constructor(clock: PaywallClock, maxAsked = MAX_ASKED) {
    this.#clock = clock;
    this.#maxAsked = maxAsked;
  }

  keep(asked: AskedPayment): void {
    this.#asked.set(asked.request.request_id, asked);
    const nowMs = this.#clock.nowMs();
    for (const [id, { redeemableUntilMs }] of this.#asked) {
      if (redeemableUntilMs > nowMs && this.#asked.size <= this.#maxAsked) break;
      this.#asked.delete(id);
    }
  }

  find(requestId: string): AskedPayment | null {
    return this.#asked.get(requestId) ?? null;
  }

  claim(paymentId: string, untilMs: number): boolean {
    if (this.#used.has(paymentId)) return false;
    if (this.#used.size >= this.#sweepAt) this.#sweep();
    this.#used.set(paymentId, untilMs);
    return true;
  }

  release(paymentId: string): void {
    this.#used.delete(paymentId);
  }

  #sweep(): void {
    const nowMs = this.#clock.nowMs();
    for (const [id, untilMs] of this.#used) if (untilMs <= nowMs) this.#used.delete(id);
    this.#sweepAt = Math.max(1_024, this.#used.size * 2);
  }
}
