import type { Payment, RequestedPayment } from './ports.js';
import type { Checked } from './refusals.js';

/** A payment that lets a request through. */
export interface Admission {
  readonly payment: Payment;
  /** Gives the payment back, since the service itself failed. */
  release(): Promise<void>;
  /** Makes the payment final, when the service has answered; gives its transaction, and headers for the answer. */
  settle(): Promise<
    Checked<{ readonly txSignature: string; readonly headers: Readonly<Record<string, string>> }>
  >;
}

/** Asks the bank what a request costs now; for payments that name no payment request. Refuses `bank_unavailable`. */
export type AskNow = () => Promise<Checked<RequestedPayment>>;
