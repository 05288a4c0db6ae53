import type { PaymentReceipt } from '../../../core/domain/payment-request.js';
import type { Maybe } from '../ports.js';
import type { Offer } from './offer.js';

/** A payment that was started and has not bought its response yet. */
export interface PaymentRecord extends Offer {
  /** The Idempotency-Key of the payment, derived from the payment request. */
  readonly id: string;
  /** Identifies the HTTP request to be paid for: method, URL and body. */
  readonly fingerprint: string;
  readonly url: string;
  /** Its start, in milliseconds since 1970. */
  readonly begunMs: number;
  /** Null until it is known to be paid. */
  readonly receipt: PaymentReceipt | null;
  /** Whether its outcome is unknown even to the bank; retrying could pay twice. */
  readonly isInDoubt: boolean;
}

/**
 * Storage for payments in progress. A record is written before money is paid, so with a persistent store a payment survives a crash of
 * the process.
 */
export interface PaymentStore {
  /** The records for a request, oldest first. */
  of(fingerprint: string): Maybe<readonly PaymentRecord[]>;
  /** All records, oldest first. */
  all(): Maybe<readonly PaymentRecord[]>;
  /** Stores a record, replacing one with the same id. */
  put(record: PaymentRecord): Maybe<void>;
  remove(id: string): Maybe<void>;
}

/** An in-memory payment store. */
export class MemoryPaymentStore implements PaymentStore {
  readonly #records = new Map<string, PaymentRecord>();

  of(fingerprint: string): readonly PaymentRecord[] {
    return this.all().filter((record) => record.fingerprint === fingerprint);
  }

  all(): readonly PaymentRecord[] {
    return [...this.#records.values()];
  }

  put(record: PaymentRecord): void {
    this.#records.set(record.id, record);
  }

  remove(id: string): void {
    this.#records.delete(id);
  }
}
