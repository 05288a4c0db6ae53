import type { Token } from '../../core/domain/money.js';
import type { PaymentRequest } from '../../core/domain/payment-request.js';

/** A clock in milliseconds since 1970. */
export interface PaywallClock {
  nowMs(): number;
}

/** A value, or a promise of it: ports may be in-process or remote. */
export type Maybe<T> = T | Promise<T>;

/** The price of a resource. */
export interface Price {
  /** Token units. */
  readonly amount: number;
  /** USDC when left out. */
  readonly token?: Token;
  readonly description?: string;
  /** Seconds until the payment request expires; 3600 when left out. */
  readonly expiresInSeconds?: number;
}

/** Returns the price of a request; null when it is free. */
export type PriceOf = (request: Request) => Maybe<Price | null>;

/** The contents of a 402 response, as returned by the bank's `x402/request`. */
export interface RequestedPayment {
  readonly payment_request: PaymentRequest;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The bank as used by the paid service. This package's client implements it; `bankAt` makes one from a base URL and a token. A
 * rejection is treated as an unreachable bank, unless its `code` is `invalid_request`.
 */
export interface Collector {
  requestPayment(query: {
    amount: number;
    token?: Token;
    description?: string;
    expires_in?: number;
  }): Promise<RequestedPayment>;
  /** Credits the service's checking account with a payment that has arrived, of the expected amount if one is given. */
  receive(body: { tx_signature: string; expected_amount?: number; expected_token?: Token }): Promise<unknown>;
}

/** The payment requirements of standard x402, in the form of version 2. */
export interface StandardRequirements {
  readonly scheme: string;
  /** CAIP-2. */
  readonly network: string;
  /** Base units. */
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  /** Includes `feePayer`, and as `memo` the id of the payment request. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** An issued payment request. */
export interface AskedPayment {
  readonly request: PaymentRequest;
  /** Its requirements for clients of standard x402; null when those clients cannot pay it. */
  readonly standard: StandardRequirements | null;
  /** Identifies the HTTP request to be paid for: method, URL and body. */
  readonly fingerprint: string;
  /** By the paywall's clock; receipts for it are refused afterwards. */
  readonly redeemableUntilMs: number;
}

/**
 * A paywall's persistent state: issued payment requests and used receipts. A service that restarts or runs in several processes needs a
 * shared implementation with an atomic `claim`. The key of a payment is the `tx_signature` of its receipt, or the `id` of a standard payment.
 */
export interface PaywallStorage {
  /** Stores a payment request under `asked.request.request_id`. */
  keep(asked: AskedPayment): Maybe<void>;
  /** The payment request issued with this id; null when it is unknown or expired. */
  find(requestId: string): Maybe<AskedPayment | null>;
  /** Uses up a payment, which buys one response; false when it was used before. May be dropped after `untilMs`. */
  claim(paymentKey: string, untilMs: number): Maybe<boolean>;
  /** Releases a payment that bought nothing because the service failed. */
  release(paymentKey: string): Maybe<void>;
}

/** A payment that admits a request. */
export interface Payment {
  /** Through the bank, or by a transaction of standard x402. */
  readonly kind: 'receipt' | 'standard';
  /** The bank's payment id, or of a standard payment `standard/` and the hash of its message. */
  readonly id: string;
  readonly payer: string;
  /** Token units. */
  readonly amount: number;
  readonly token: Token;
  /** Null for a standard payment until it is settled, after the service has responded. */
  readonly txSignature: string | null;
}

/** A facilitator's verdict on a standard payment. */
export type Verified =
  | { readonly kind: 'valid'; readonly payer: string }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unreachable'; readonly reason: string };

/** The result of settling a standard payment. */
export type Settled =
  /** `result` is the object for the response header. */
  | { readonly kind: 'settled'; readonly txSignature: string; readonly result: object }
  /** Settled by an earlier call, whose response may have been lost. */
  | { readonly kind: 'repeated'; readonly txSignature: string; readonly result: object }
  /** Sent, and not confirmed yet. */
  | { readonly kind: 'pending'; readonly txSignature: string; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'unreachable'; readonly reason: string };

/** A standard payment in the form expected by a facilitator. */
export interface StandardPayment {
  readonly x402Version: 1 | 2;
  readonly paymentPayload: object;
  readonly paymentRequirements: object;
}

/** A facilitator of standard x402 as used by a paywall; `facilitatorAt` makes one from a URL. */
export interface StandardFacilitator {
  verify(payment: StandardPayment): Promise<Verified>;
  settle(payment: StandardPayment): Promise<Settled>;
}
