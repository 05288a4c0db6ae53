import type { PaymentReceipt } from '../../../core/domain/payment-request.js';
import type { Maybe } from '../ports.js';
import type { Offer } from './offer.js';

/** A payment that was begun and has not bought its answer yet. */
export interface PaymentRecord extends Offer {
  /** The Idempotency-Key of the payment; derives from the payment request. */
  readonly id: string;
  /** Names the HTTP request that it is for: method, address and body. */
  readonly fingerprint: string;
  /** The address that is asked. */
  readonly url: string;
  /** When it was begun, in milliseconds since 1970. */
  readonly begunMs: number;
  /** Null while it is not known to be paid. */
  readonly receipt: PaymentReceipt | null;
  /** Whether the bank itself does not know what became of it; telling it to pay again could pay twice. */
  readonly isInDoubt: boolean;
}

/**
 * Where a paying client keeps what it has begun. It is told before money is paid, so with a store that outlives the process a
 * payment survives its crash.
 */
export interface PaymentStore {
  /** The notes for a request, oldest first. */
  of(fingerprint: string): Maybe<readonly PaymentRecord[]>;
  /** Every note, oldest first. */
  all(): Maybe<readonly PaymentRecord[]>;
  /** Keeps a note, in place of one with the same id. */
  put(note: PaymentRecord): Maybe<void>;
  remove(id: string): Maybe<void>;
}

/** Keeps notes in this process. */
export class MemoryPaymentStore implements PaymentStore {
  readonly #notes = new Map<string, PaymentRecord>();

  of(fingerprint: string): readonly PaymentRecord[] {
    return this.all().filter((note) => note.fingerprint === fingerprint);
  }

  all(): readonly PaymentRecord[] {
    return [...this.#notes.values()];
  }

  put(note: PaymentRecord): void {
    this.#notes.set(note.id, note);
  }

  remove(id: string): void {
    this.#notes.delete(id);
  }
}
