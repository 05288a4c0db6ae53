import type { Collector, Payment, PaywallClock, PaywallStorage, RequestedPayment } from './ports.js';
import type { Checked } from './refusals.js';

export interface Admission {
  readonly payment: Payment;
  /** Releases the payment for reuse, because the service itself failed. */
  release(): Promise<void>;
  /** Makes the payment final and credits it after the service has responded; resolves to headers for the response. */
  settle(): Promise<Checked<Readonly<Record<string, string>>>>;
}

/** Requests the current price from the bank, for payments without a payment request. Refuses `bank_unavailable`. */
export type AskNow = () => Promise<Checked<RequestedPayment>>;

/** What the gates of a paywall have in common. */
export interface GateParts {
  readonly clock: PaywallClock;
  readonly storage: PaywallStorage;
  /** Credits a payment to the service's account. Refuses `receipt_not_on_chain`, `chain_unavailable`. */
  readonly collect: (payment: Parameters<Collector['receive']>[0]) => Promise<Checked<void>>;
}
