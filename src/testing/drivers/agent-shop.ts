import { type PaymentRequest, encodeHeader } from '../../core/domain/payment-request.js';
import type { Dealt, Goods, ShopTrouble } from '../agent-fuzz/types.js';
import { connectionEnded } from '../../api/http/answers.js';
import { Paywall } from '../../sdk/x402/paywall.js';
import type { Collector, Price } from '../../sdk/x402/ports.js';

const LIFETIME_SECONDS = 600;
const SHORT_LIFETIME_SECONDS = 1;
const SOL_PRICE = 0.1;
const OTHER_NETWORK = 'solana:4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZ';

export interface AgentShopOptions {
  readonly bank: Collector;
  readonly recipient: string;
  readonly issuer: string;
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** The wrong recipient to name when a fault redirects a payment. */
  readonly other: Pick<PaymentRequest, 'recipient' | 'pay_to'>;
  /** Scheme and host to redirect to. */
  readonly elsewhere: string;
}

/** Deviations from the usual payment terms. */
interface Asking {
  readonly factor?: number;
  readonly token?: 'SOL';
  readonly lifetimeSeconds?: number;
}

function failed(): Response {
  return Response.json({ error: 'The service failed.', code: 'service_failed' }, { status: 500 });
}

/** A service that sells by x402 and misbehaves on request. Handles one request at a time. */
export class AgentShop {
  readonly #options: AgentShopOptions;
  readonly #goods: ReadonlyMap<string, Goods>;
  readonly #paywall: Paywall;
  readonly #dealt = new Map<string, { asked: number; served: number }>();
  readonly #requests = new Map<string, string>();
  /** The current order; `#asking` holds its payment terms. */
  #order = '';
  #asking: Asking = {};
  #isFailing = false;

  constructor(options: AgentShopOptions, goods: readonly Goods[]) {
    this.#options = options;
    this.#goods = new Map(goods.map((each) => [each.id, each]));
    const { bank, recipient, issuer, nowMs } = options;
    this.#paywall = new Paywall({
      bank: {
        requestPayment: async (query) => {
          const requested = await bank.requestPayment(query);
          this.#requests.set(requested.payment_request.request_id, this.#order);
          this.#of(this.#order).asked += 1;
          return requested;
        },
        receive: (body) => bank.receive(body),
      },
      recipient,
      issuer,
      clock: { nowMs },
      collect: false,
      price: () => this.#price(),
    });
  }

  /** Responds to a request for an order. Rejects with TypeError when the response is lost. */
  async respond(request: Request, order: string, fault: ShopTrouble | null): Promise<Response> {
    this.#order = order;
    this.#asking = {};
    this.#isFailing = false;
    if (!this.#goods.has(order)) return Response.json({ error: 'There is no such thing.' }, { status: 404 });
    return fault === null ? this.#honest(request) : this.#trouble(request, fault);
  }

  /** The order that a payment request belongs to; null without a request, and if another service issued it. */
  orderOf(requestId: string | null): string | null {
    return requestId === null ? null : (this.#requests.get(requestId) ?? null);
  }

  dealt(order: string): Dealt {
    return { ...this.#of(order) };
  }

  async #trouble(request: Request, fault: ShopTrouble): Promise<Response> {
    const { elsewhere, sleep, other } = this.#options;
    switch (fault.kind) {
      case 'fail':
        return failed();
      case 'no-response':
        throw connectionEnded();
      case 'slow':
        await sleep(fault.ms);
        return this.#honest(request);
      case 'malformed':
        return this.#asks(request, {}, () => null);
      case 'wrong-recipient':
        return this.#asks(request, {}, (asked) => ({ ...asked, ...other }));
      case 'other-network':
        return this.#asks(request, {}, (asked) => ({ ...asked, network: OTHER_NETWORK }));
      case 'redirect':
        return Response.redirect(`${elsewhere}${new URL(request.url).pathname}`, 302);
      case 'dear':
        return this.#asks(request, { factor: fault.factor });
      case 'other-token':
        return this.#asks(request, { token: 'SOL' });
      case 'expired': {
        const response = await this.#asks(request, { lifetimeSeconds: SHORT_LIFETIME_SECONDS });
        await sleep(2_000 * SHORT_LIFETIME_SECONDS);
        return response;
      }
      case 'reject-receipt':
        return this.#asks(request, {}, (asked) => asked, 'receipt_unknown_request');
      case 'ask-again':
        return this.#asks(request, {});
      case 'raise-price':
        return this.#asks(request, { factor: 2 }, (asked) => asked, 'receipt_too_small');
      case 'fail-undelivered':
        this.#isFailing = true;
        return this.#honest(request);
      case 'fail-delivered': {
        const response = await this.#honest(request);
        return response.ok ? failed() : response;
      }
      case 'lose-delivery': {
        const response = await this.#honest(request);
        if (response.ok) throw connectionEnded();
        return response;
      }
    }
  }

  #honest(request: Request): Promise<Response> {
    return this.#paywall.answer(request, () => {
      if (this.#isFailing) return failed();
      this.#of(this.#order).served += 1;
      return Response.json({ order: this.#order, goods: `what ${this.#order} is about` });
    });
  }

  /** Always responds with 402 and a payment request that `alter` may change; null replaces it with an unreadable header. */
  async #asks(
    request: Request,
    asking: Asking,
    alter: (asked: PaymentRequest) => object | null = (asked) => asked,
    code: string | null = null,
  ): Promise<Response> {
    this.#asking = asking;
    const headers = new Headers(request.headers);
    headers.delete('x-payment-receipt');
    const response = await this.#honest(new Request(request, { headers }));
    if (response.status !== 402) return response;
    const body = (await response.json()) as { payment_request: PaymentRequest; code: string };
    const altered = alter(body.payment_request);
    const header = altered === null ? '{"this is": not base64' : encodeHeader(altered);
    const changed = { ...body, payment_request: altered, code: code ?? body.code };
    return Response.json(changed, { status: 402, headers: { 'x-payment-request': header } });
  }

  #price(): Price {
    const { factor = 1, token, lifetimeSeconds = LIFETIME_SECONDS } = this.#asking;
    const expiry = { expiresInSeconds: lifetimeSeconds };
    if (token !== undefined) return { amount: SOL_PRICE, token, ...expiry };
    const { priceBase } = this.#goods.get(this.#order) as Goods;
    const amountBase = BigInt(Math.round(Number(priceBase) * factor));
    return { amount: Number(amountBase) / 1e6, description: this.#order, ...expiry };
  }

  #of(order: string): { asked: number; served: number } {
    const known = this.#dealt.get(order) ?? { asked: 0, served: 0 };
    this.#dealt.set(order, known);
    return known;
  }
}
