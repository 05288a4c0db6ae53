import type { Context, MiddlewareHandler } from 'hono';
import type { Paywall } from './paywall.js';
import type { Payment } from './ports.js';

/** Set by the middleware for handlers: `context.get('payment')`, null for free requests. */
export interface PaywallEnv {
  readonly Variables: { payment: Payment | null };
}

/** A paywall as Hono middleware: handlers after it run only for free or paid requests. */
export function honoPaywall(paywall: Paywall): MiddlewareHandler<PaywallEnv> {
  return async (context: Context<PaywallEnv>, next) => {
    const response = await paywall.answer(context.req.raw, async (_request, payment) => {
      context.set('payment', payment);
      await next();
      return context.res;
    });
    if (context.finalized && response !== context.res) {
      // Cleared first, since Hono would otherwise merge the headers of both responses.
      context.res = undefined;
      context.res = response;
    }
    return response;
  };
}
