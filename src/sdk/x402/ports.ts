import type { Token } from '../../core/domain/money.js';
import type { PaymentRequest } from '../../core/domain/payment-request.js';

/** Tells the time in milliseconds since 1970. */
export interface PaywallClock {
  nowMs(): number;
}

/** A value, or a promise of it: ports may be in this process or far away. */
export type Maybe<T> = T | Promise<T>;

/** What a resource costs. */
export interface Price {
  /** Token units. */
  readonly amount: number;
  /** USDC when left out. */
  readonly token?: Token;
  readonly description?: string;
  /** Seconds until the payment request expires; 3600 when left out. */
  readonly expiresInSeconds?: number;
}

/** The price of a request; null for one that is free. */
export type PriceOf = (request: Request) => Maybe<Price | null>;

/** What a 402 answer needs, as `x402/request` of the bank gives it. */
export interface RequestedPayment {
  readonly payment_request: PaymentRequest;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The bank as the service that is paid uses it. The client of this package is one; `bankAt` makes one of a base URL and a token.
 * Whatever rejects counts as a bank that cannot be asked.
 */
export interface Collector {
  requestPayment(query: {
    amount: number;
    token?: Token;
    description?: string;
    expires_in?: number;
  }): Promise<RequestedPayment>;
  /** Credits the service's checking account with what has arrived. */
  receive(body: { tx_signature: string }): Promise<unknown>;
}

/** What standard x402 asks for, as version 2 says it. */
export interface StandardRequirements {
  readonly scheme: string;
  /** CAIP-2. */
  readonly network: string;
  /** Base units. */
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  /** With `feePayer` and `memo`, the id of the payment request. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** A payment that was asked for. */
export interface AskedPayment {
  readonly request: PaymentRequest;
  /** The same for clients of standard x402; null when they cannot pay it. */
  readonly standard: StandardRequirements | null;
  /** Names the HTTP request that is paid for: method, address and body. */
  readonly fingerprint: string;
  /** By the paywall's clock; after it no receipt for this is taken any more. */
  readonly redeemableUntilMs: number;
}

/**
 * Where a paywall keeps what it must not forget: which payments it asked for and which receipts were used. A service with several
 * processes, or one that restarts, needs one that they share; `claim` must be atomic then.
 */
export interface PaywallStorage {
  keep(asked: AskedPayment): Maybe<void>;
  /** What was asked for under this id of a payment request; null when it is not known, or not any more. */
  find(requestId: string): Maybe<AskedPayment | null>;
  /** Takes a payment for the one answer that it buys; false when it was taken before. It may be forgotten after `untilMs`. */
  claim(paymentId: string, untilMs: number): Maybe<boolean>;
  /** Gives a payment back that bought nothing, since the service itself failed. */
  release(paymentId: string): Maybe<void>;
}

/** What a chain says about a payment. */
export type Arrival =
  | { readonly kind: 'arrived'; readonly amountBase: bigint }
  | { readonly kind: 'missing'; readonly reason: string }
  | { readonly kind: 'unreachable'; readonly reason: string };

/** The chain as a paywall uses it: what a transaction brought to an address. */
export interface PaymentProof {
  arrived(payment: { signature: string; payTo: string; token: Token; asset: string }): Promise<Arrival>;
}

/** A payment that lets a request through. */
export interface Payment {
  /** How it was made: through the bank, or by a transaction of standard x402. */
  readonly kind: 'receipt' | 'standard';
  /** The bank's id of it, or the transaction's signature. */
  readonly id: string;
  readonly payer: string;
  /** Token units. */
  readonly amount: number;
  readonly token: Token;
  /** Null for a standard payment that is not settled yet: it is when the service has answered. */
  readonly txSignature: string | null;
}

/** What a facilitator says of a standard payment. */
export type Verified =
  | { readonly kind: 'valid'; readonly payer: string }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unreachable'; readonly reason: string };

/** What came of settling one. */
export type Settled =
  /** `result` is the object for the answer's header. */
  | { readonly kind: 'settled'; readonly txSignature: string; readonly result: object }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'unreachable'; readonly reason: string };

/** A standard payment as it goes to a facilitator. */
export interface StandardPayment {
  readonly x402Version: 1 | 2;
  readonly paymentPayload: object;
  readonly paymentRequirements: object;
}

/** A facilitator of standard x402 as a paywall uses it; `facilitatorAt` makes one of a URL. */
export interface StandardFacilitator {
  verify(payment: StandardPayment): Promise<Verified>;
  settle(payment: StandardPayment): Promise<Settled>;
}
