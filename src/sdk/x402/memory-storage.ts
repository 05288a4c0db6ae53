import type { AskedPayment, PaywallClock, PaywallStorage } from './ports.js';

const MAX_ISSUED = 100_000;

/**
 * In-memory storage of a paywall. Expired items are dropped; beyond `maxIssued` payment requests, the oldest are dropped too, since
 * anyone can make a paywall issue them. Used receipts are never dropped before they expire.
 */
export class MemoryStorage implements PaywallStorage {
  readonly #clock: PaywallClock;
  readonly #maxIssued: number;
  /** In order of issue. */
  readonly #issued = new Map<string, AskedPayment>();
  readonly #used = new Map<string, number>();
  /** The number of used receipts at which expired ones are swept. */
  #sweepAt = 1_024;

  constructor(clock: PaywallClock, maxIssued = MAX_ISSUED) {
    this.#clock = clock;
    this.#maxIssued = maxIssued;
  }

  keep(issued: AskedPayment): void {
    this.#issued.set(issued.request.request_id, issued);
    const nowMs = this.#clock.nowMs();
    for (const [id, { redeemableUntilMs }] of this.#issued) {
      if (redeemableUntilMs > nowMs && this.#issued.size <= this.#maxIssued) break;
      this.#issued.delete(id);
    }
  }

  find(requestId: string): AskedPayment | null {
    return this.#issued.get(requestId) ?? null;
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
