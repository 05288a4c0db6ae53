import { isAddress } from '../../core/domain/inputs.js';
import { TOKENS, baseUnits } from '../../core/domain/money.js';
import { lifetimeOf } from '../../core/domain/payment-request.js';
import { isObject } from '../../core/json.js';
import { checkMembers, refusedValue } from '../../core/suggestion.js';
import { type Resource, resourceOf } from './binding.js';
import { MemoryStorage } from './memory-storage.js';
import type {
  Collector,
  Maybe,
  Payment,
  PaywallClock,
  PaywallStorage,
  Price,
  PriceOf,
  RequestedPayment,
  StandardFacilitator,
} from './ports.js';
import { StandardGate, standardHeader } from './standard/standard-gate.js';
import { type StandardOffer, standardOffer } from './standard/offer.js';
import type { Admission } from './admission.js';
import { ReceiptGate } from './receipt-gate.js';
import { ReceiptVerifier } from './receipt-verifier.js';
import {
  type Checked,
  PAYWALL_CODES,
  type PaywallRefusal,
  isNeverCredited,
  isNotOnChain,
  passed,
  refused,
} from './refusals.js';

const DEFAULT_EXPIRY_SECONDS = 3_600;
const DEFAULT_GRACE_SECONDS = 300;
const DEFAULT_MAX_BODY_BYTES = 1_048_576;

/** Configuration of a paywall. */
export interface PaywallOptions {
  /** The service's account at the bank: a client of this package, or `bankAt(baseUrl, token)`. */
  readonly bank: Collector;
  /** The wallet of that account; receipts must name it as the recipient. */
  readonly recipient: string;
  /** The bank's receipt-signing public key, base58: `receipt_issuer` of its discovery pages. */
  readonly issuer: string;
  /** One price for all requests, or a function that returns the price of a request (null when it is free). */
  readonly price: Price | PriceOf;
  /** Scheme, host and port where payers reach the service. Set it in production: the default trusts the Host header. */
  readonly origin?: string;
  /** The system clock when left out. */
  readonly clock?: PaywallClock;
  /** In-memory storage when left out. */
  readonly storage?: PaywallStorage;
  /** Also accepts USDC payments of standard x402, versions 2 and 1; see `facilitatorAt`. */
  readonly facilitator?: StandardFacilitator;
  /**
   * Whether payments are credited to the service's checking account immediately, by `x402/receive`, which refuses a receipt whose payment
   * is not on the bank's chain. True when left out; with false, such a receipt is served.
   */
  readonly collect?: boolean;
  /** How long after its payment request's expiry a receipt is accepted, and the tolerated clock skew. 300 when left out. */
  readonly graceSeconds?: number;
  /** Maximum body of a priced request; 1 MiB when left out. */
  readonly maxBodyBytes?: number;
  /** Called with the cause of an error response: the bank was unreachable, or a payment could not be collected. */
  readonly onProblem?: (problem: unknown) => void;
}

const OPTIONS =
  'bank recipient issuer price origin clock storage facilitator collect graceSeconds maxBodyBytes onProblem';

/** Throws TypeError and RangeError for a price that the bank would refuse. */
function checkPrice(price: Price): void {
  if (!isObject(price))
    throw new TypeError('price: must be an object such as { amount: 0.25 }; null is free');
  const { amount, token = 'USDC' } = price as Price;
  if (!TOKENS.includes(token)) throw new RangeError(refusedValue('price.token', token, TOKENS));
  baseUnits(amount, token);
}

/** Handles a request that is free (`payment` is null) or paid. */
export type Serve = (request: Request, payment: Payment | null) => Maybe<Response>;

/**
 * Guards the resources of a service: responds 402 with a payment request of the bank, and admits paid requests. A payment buys one
 * response to the request that it was made for; when the service fails (throws, or responds 500 or above), the payment may be
 * presented again.
 */
export class Paywall {
  readonly #options: PaywallOptions;
  readonly #clock: PaywallClock;
  readonly #storage: PaywallStorage;
  readonly #receipts: ReceiptGate;
  readonly #standard: StandardGate | null;
  readonly #graceMs: number;

  /** Throws RangeError when recipient or issuer is not an address, and TypeError or RangeError for a wrong price or an unknown option. */
  constructor(options: PaywallOptions) {
    checkMembers('the options of a paywall', options, OPTIONS.split(' '));
    if (typeof options.price !== 'function') checkPrice(options.price);
    if (!isAddress(options.recipient))
      throw new RangeError(`the recipient must be a Solana address, not ${options.recipient}`);
    this.#options = options;
    this.#clock = options.clock ?? { nowMs: () => Date.now() };
    this.#storage = options.storage ?? new MemoryStorage(this.#clock);
    this.#graceMs = (options.graceSeconds ?? DEFAULT_GRACE_SECONDS) * 1_000;
    const shared = {
      clock: this.#clock,
      storage: this.#storage,
      collect: (payment: Parameters<Collector['receive']>[0]) => this.#collect(payment),
    };
    this.#receipts = new ReceiptGate({
      ...shared,
      verifier: new ReceiptVerifier(options.issuer),
      recipient: options.recipient,
      graceMs: this.#graceMs,
    });
    const { facilitator } = options;
    this.#standard = facilitator === undefined ? null : new StandardGate({ ...shared, facilitator });
  }

  protect(serve: Serve): (request: Request) => Promise<Response> {
    return (request) => this.answer(request, serve);
  }

  /** Responds to a request: by `serve` when it is free or paid, otherwise with a refusal. Rejects for mistakes of the service's owner. */
  async answer(request: Request, serve: Serve): Promise<Response> {
    const { price } = this.#options;
    const cost = typeof price === 'function' ? await price(request) : price;
    if (cost === null) return serve(request, null);
    checkPrice(cost);
    const { origin = null, maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = this.#options;
    const resource = await resourceOf(request, { origin, maxBodyBytes });
    if (!resource.ok) return this.#refuse(resource.refusal, null);
    const admission = await this.#admit(request, resource.value, cost);
    if (!admission.ok) return this.#refuseAndAsk(admission.refusal, resource.value, cost);
    return this.#serve(request, serve, {
      resource: resource.value,
      price: cost,
      admission: admission.value,
    });
  }

  async #admit(request: Request, resource: Resource, price: Price): Promise<Checked<Admission>> {
    const receipt = request.headers.get('x-payment-receipt');
    const askNow = () => this.#request(price);
    if (receipt !== null) return this.#receipts.admit(receipt, resource, askNow);
    const payment = this.#standard === null ? null : standardHeader(request);
    if (this.#standard === null || payment === null)
      return refused('payment_required', { resource: resource.url });
    return this.#standard.admit(payment, resource, askNow);
  }

  /** Runs the service's handler, then makes the payment final. */
  async #serve(
    request: Request,
    serve: Serve,
    { resource, price, admission }: { resource: Resource; price: Price; admission: Admission },
  ): Promise<Response> {
    let response: Response;
    try {
      response = await serve(request, admission.payment);
    } catch (error) {
      await admission.release();
      throw error;
    }
    if (response.status >= 500) {
      await admission.release();
      return response;
    }
    const settled = await admission.settle();
    if (!settled.ok) return this.#refuseAndAsk(settled.refusal, resource, price);
    return withHeaders(response, settled.value);
  }

  /**
   * Credits a payment. Refuses `receipt_not_on_chain` when the bank's chain does not have it, and `chain_unavailable` while the bank
   * does not say so. A receipt's payment that has arrived and that the bank never credits buys its response.
   */
  async #collect(payment: Parameters<Collector['receive']>[0]): Promise<Checked<void>> {
    const { tx_signature } = payment;
    if (this.#options.collect === false) return passed(undefined);
    try {
      await this.#options.bank.receive(payment);
    } catch (error) {
      const { code } = error as { code?: unknown };
      // A receipt presented again after a failure of the service was already collected the first time.
      if (code === 'transaction_already_recorded') return passed(undefined);
      if (isNotOnChain(error)) {
        const reason = (error as Error).message;
        return refused('receipt_not_on_chain', { tx_signature, reason });
      }
      this.#options.onProblem?.(error);
      if (payment.expected_amount !== undefined || !isNeverCredited(error))
        return refused('chain_unavailable', { tx_signature, reason: code ?? 'unreachable' });
    }
    return passed(undefined);
  }

  async #refuseAndAsk(refusal: PaywallRefusal, resource: Resource, price: Price): Promise<Response> {
    if (PAYWALL_CODES[refusal.code][0] !== 402) return this.#refuse(refusal, null);
    const requested = await this.#request(price);
    if (!requested.ok) return this.#refuse(requested.refusal, null);
    const { payment_request: request } = requested.value;
    const offer =
      this.#standard === null
        ? null
        : standardOffer(requested.value, resource, PAYWALL_CODES[refusal.code][1]);
    await this.#storage.keep({
      request,
      standard: offer?.requirements ?? null,
      fingerprint: resource.fingerprint,
      redeemableUntilMs: this.#clock.nowMs() + lifetimeOf(request) + this.#graceMs,
    });
    return this.#refuse(refusal, { requested: requested.value, offer });
  }

  /** Requests the contents of a 402 response from the bank. */
  async #request(price: Price): Promise<Checked<RequestedPayment>> {
    const { amount, token = 'USDC', description, expiresInSeconds = DEFAULT_EXPIRY_SECONDS } = price;
    const query = {
      amount,
      token,
      expires_in: expiresInSeconds,
      ...(description === undefined ? {} : { description }),
    };
    let requested: RequestedPayment;
    try {
      requested = await this.#options.bank.requestPayment(query);
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (code === 'invalid_request') throw error;
      this.#options.onProblem?.(error);
      return refused('bank_unavailable', { reason: code ?? 'unreachable' });
    }
    const { recipient } = requested.payment_request;
    if (recipient === this.#options.recipient) return passed(requested);
    throw new Error(
      `the bank's payment requests name ${recipient}, but the paywall's recipient is ${this.#options.recipient}: use the client or token of that wallet`,
    );
  }

  #refuse(
    { code, details }: PaywallRefusal,
    asking: { readonly requested: RequestedPayment; readonly offer: StandardOffer | null } | null,
  ): Response {
    const [status, error] = PAYWALL_CODES[code];
    const offer = asking?.offer ?? null;
    const body = {
      // Version 1 clients read the body.
      ...(offer === null ? {} : { x402Version: 1, accepts: offer.accepts }),
      error,
      code,
      details,
      payment_request: asking?.requested.payment_request ?? null,
    };
    const headers = new Headers({ 'cache-control': 'no-store' });
    const request = asking?.requested.headers['X-Payment-Request'];
    if (request !== undefined) headers.set('x-payment-request', request);
    if (offer !== null) headers.set('payment-required', offer.header);
    return Response.json(body, { status, headers });
  }
}

/** A copy of a response with additional headers (a response's own may be immutable); the response itself when there are none. */
function withHeaders(response: Response, more: Readonly<Record<string, string>>): Response {
  if (Object.keys(more).length === 0) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(more)) headers.set(name, value);
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}
