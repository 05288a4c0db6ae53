import { type Decision, allow } from '../decision.js';
import { parseRecipient, parseToken } from '../inputs.js';
import { type Token, parseAmount } from '../money.js';
import { checkOutflow, pendingOutflow } from '../outflow.js';
import type { Env } from '../ports.js';
import { type Result, ok, refuse } from '../result.js';
import { type Outflow, type State, requestKey } from '../state.js';
import type { OutflowTerms } from '../entry.js';
import { uuid } from '../ids.js';
import { isoOf } from '../calendar.js';
import { type PaymentRequest, decodeRequest } from '../payment-request.js';

export interface PayInput {
  readonly wallet: string;
  readonly recipient: string;
  readonly amount: unknown;
  readonly token: string;
  readonly serviceUrl?: string | undefined;
  readonly memo?: string | undefined;
  /** The X-Payment-Request header being paid, base64; binds the receipt to it. */
  readonly paymentRequest?: string | undefined;
}

/** The on-chain destination of a payment to `recipient`: a customer is paid at its collection address. */
export function payToOf(state: State, recipient: string): string {
  return state.agents.get(recipient)?.collectionAddress ?? recipient;
}

function boundRequest(state: State, input: PayInput, token: Token): Result<PaymentRequest | null> {
  if (input.paymentRequest === undefined) return ok(null);
  const request = decodeRequest(input.paymentRequest);
  const issue = (message: string) =>
    refuse('invalid_request', { issues: [{ path: 'payment_request', message }] });
  if (request === null) return issue('not a base64-encoded X402PaymentRequest');
  const payTo = payToOf(state, input.recipient);
  if (request.recipient !== input.recipient || request.pay_to !== payTo)
    return issue('has another recipient');
  if (request.token !== token) return issue('has another token');
  const [asked, given] = [parseAmount(request.amount, token), parseAmount(input.amount, token)];
  if (!asked.ok || !given.ok || asked.value !== given.value) return issue('has another amount');
  return ok(request);
}

/** The completed or pending payment of the same request; null when it has none. */
function paymentOf(state: State, terms: OutflowTerms): Outflow | null {
  const key = requestKey(terms);
  const first = key === null ? undefined : state.paidRequests.get(key)?.first();
  return first === undefined ? null : (state.outflows.get(first) ?? null);
}

/** Reserves an x402 payment and returns the number of the outflow, which is then executed on chain. */
export function pay(state: State, input: PayInput, env: Env): Result<Decision<number>> {
  const { wallet } = input;
  const token = parseToken(input.token);
  if (!token.ok) return token;
  const recipient = parseRecipient(input.recipient, env.treasury);
  if (!recipient.ok) return recipient;
  const bound = boundRequest(state, input, token.value);
  if (!bound.ok) return bound;
  const amount = parseAmount(input.amount, token.value);
  if (!amount.ok) return amount;
  const terms: OutflowTerms = {
    type: 'x402',
    token: token.value,
    amountBase: amount.value,
    recipient: recipient.value,
    payTo: payToOf(state, recipient.value),
    usdMicro: 0n,
    executeAtMs: null,
    serviceUrl: input.serviceUrl ?? null,
    memo: input.memo ?? null,
    requestId: bound.value?.request_id ?? null,
  };
  const paid = env.variants.paymentRequests === 'once' ? paymentOf(state, terms) : null;
  if (paid !== null) {
    const payment_id = uuid(env.salt, 'entry', paid.id);
    return refuse('payment_request_already_paid', {
      request_id: terms.requestId,
      payment_id,
      status: paid.status,
    });
  }
  if (bound.value !== null && env.nowMs >= Date.parse(bound.value.expires_at)) {
    return refuse('payment_request_expired', {
      request_id: bound.value.request_id,
      expired_at: bound.value.expires_at,
      now: isoOf(env.nowMs),
    });
  }
  const request = { type: 'x402', wallet, token: token.value, amount: amount.value } as const;
  const usdMicro = checkOutflow(state, request, env);
  if (!usdMicro.ok) return usdMicro;
  return allow(pendingOutflow(wallet, { ...terms, usdMicro: usdMicro.value }), (_after, entry) => entry.seq);
}
