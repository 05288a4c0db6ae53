import type { Context, MiddlewareHandler } from 'hono';
import type { Paywall } from './paywall.js';
import type { Payment } from './ports.js';

/** What the middleware leaves for handlers: `context.get('payment')`, null for what was free. */
export interface PaywallEnv {
  readonly Variables: { payment: Payment | null };
}

/** A paywall as middleware of Hono: what stands after it is served to who has paid. */
export function honoPaywall(paywall: Paywall): MiddlewareHandler<PaywallEnv> {
  return async (context: Context<PaywallEnv>, next) => {
    const response = await paywall.answer(context.req.raw, async (_request, payment) => {
      context.set('payment', payment);
      await next();
      return context.res;
    });
    if (context.finalized && response !== context.res) {
      // Emptied first, or Hono would mix the headers of both answers.
      context.res = undefined;
      context.res = response;
    }
    return response;
  };
}
