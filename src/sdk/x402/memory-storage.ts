import { type Snapshotable, Cell } from '../../core/snapshot.js';
import { type TtlMap, nothing, setWithTtl } from '../../core/ttl-map.js';
import type { AskedPayment, PaywallClock, PaywallStorage } from './ports.js';

const MAX_ISSUED = 100_000;

/** The content of a MemoryStorage, as an immutable value. */
export interface StoredPayments {
  readonly issued: TtlMap<AskedPayment>;
  readonly used: TtlMap<true>;
}

/**
 * In-memory storage of a paywall. Expired items are dropped; beyond `maxIssued` payment requests, the oldest are dropped too, since any
 * client can make a paywall issue them. Used receipts are never dropped before they expire.
 */
export class MemoryStorage implements PaywallStorage, Snapshotable<StoredPayments> {
  readonly #clock: PaywallClock;
  readonly #maxIssued: number;
  readonly #held = new Cell<StoredPayments>({ issued: nothing(), used: nothing() });

  constructor(clock: PaywallClock, maxIssued = MAX_ISSUED) {
    this.#clock = clock;
    this.#maxIssued = maxIssued;
  }

  keep(asked: AskedPayment): void {
    const entry = { value: asked, expiresMs: asked.redeemableUntilMs };
    let issued = setWithTtl(this.#held.value.issued, asked.request.request_id, entry, this.#clock.nowMs());
    if (issued.values.size > this.#maxIssued) {
      const { values, order } = issued;
      issued = { values: values.delete(order.first() as string), order: order.shift() };
    }
    this.#held.value = { ...this.#held.value, issued };
  }

  find(requestId: string): AskedPayment | null {
    return this.#held.value.issued.values.get(requestId)?.value ?? null;
  }

  claim(paymentKey: string, untilMs: number): boolean {
    const { used } = this.#held.value;
    if (used.values.has(paymentKey)) return false;
    const entry = { value: true as const, expiresMs: untilMs };
    this.#held.value = {
      ...this.#held.value,
      used: setWithTtl(used, paymentKey, entry, this.#clock.nowMs()),
    };
    return true;
  }

  release(paymentKey: string): void {
    const { values, order } = this.#held.value.used;
    this.#held.value = { ...this.#held.value, used: { values: values.delete(paymentKey), order } };
  }

  snapshot(): StoredPayments {
    return this.#held.snapshot();
  }

  restore(held: StoredPayments): void {
    this.#held.restore(held);
  }
}
