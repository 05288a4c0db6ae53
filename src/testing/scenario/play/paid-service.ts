import type { Token } from '../../../core/domain/money.js';
import { defined } from '../../../core/json.js';
import { Paywall, type PaywallOptions } from '../../../sdk/x402/paywall.js';
import type { FetchLike } from '../../../core/fetch.js';

/** A service that sells one resource through x402. It is in-process: buyers must use its `fetch`. */
export class PaidService {
  readonly #paywall: Paywall;
  price: { amount: number; token: Token };
  served = 0;
  /** Whether it responds with 500 after payment. */
  isFailing = false;

  constructor(
    price: { amount: number; token: Token },
    expiresInSeconds: number | undefined,
    options: Omit<PaywallOptions, 'price'>,
  ) {
    this.price = price;
    this.#paywall = new Paywall({
      ...options,
      price: () => ({ ...this.price, ...defined({ expiresInSeconds }) }),
    });
  }

  readonly fetch: FetchLike = (url, init) =>
    this.#paywall.answer(new Request(url, init), (_request, payment) => {
      if (this.isFailing)
        return Response.json({ error: 'The service failed.', code: 'service_failed' }, { status: 500 });
      this.served += 1;
      const { payer = null, amount = null, token = null } = payment ?? {};
      return Response.json({ served: this.served, payer, amount, token });
    });
}
