/** HTTP statuses of a paywall's refusals. */
export type RefusalStatus = 400 | 402 | 413 | 503;

/**
 * Why a paywall refuses a request: each code with its status and message. Codes are permanent: clients branch on them. A 402 carries a
 * fresh payment request, which an agent should pay only if it has not paid yet.
 */
export const PAYWALL_CODES = {
  payment_required: [
    402,
    'This resource costs money: pay the request in X-Payment-Request, then repeat the call with X-Payment-Receipt.',
  ],
  receipt_malformed: [
    402,
    'X-Payment-Receipt is not the padded standard base64 of the JSON of a payment receipt.',
  ],
  receipt_forged: [402, 'The receipt was not issued by the bank of this service.'],
  receipt_altered: [402, 'The receipt was changed after the bank signed it: its signature does not match.'],
  receipt_wrong_network: [402, 'The receipt is for a payment on another network.'],
  receipt_wrong_recipient: [402, 'The receipt is for a payment to another recipient.'],
  receipt_unbound: [
    402,
    'The receipt names neither a payment request nor this address: pay with payment_request, or with service_url.',
  ],
  receipt_unknown_request: [402, 'The receipt names a payment request that this service did not make.'],
  receipt_other_resource: [402, 'The receipt is for another resource, or another request to this one.'],
  receipt_wrong_token: [402, 'The receipt is for a payment in another token than the price.'],
  receipt_too_small: [402, 'The receipt is for a smaller amount than the price.'],
  receipt_expired: [
    402,
    'The receipt is too old: it was paid or presented after its payment request expired.',
  ],
  receipt_not_yet_valid: [402, 'The receipt is dated in the future, so one of the clocks is wrong.'],
  receipt_used: [402, 'The receipt was used before; each payment buys one response.'],
  receipt_not_on_chain: [402, "The chain does not confirm the receipt's payment."],
  payment_malformed: [
    402,
    'PAYMENT-SIGNATURE or X-PAYMENT is not the base64 of the JSON of a standard payment with a Solana transaction.',
  ],
  payment_unbound: [402, 'The transaction carries no memo with the id of a payment request; see extra.memo.'],
  payment_unknown_request: [402, 'The memo of the transaction names no payment request of this service.'],
  payment_other_resource: [402, 'The payment is for another resource, or another request to this one.'],
  payment_expired: [402, 'The payment arrived after its payment request had expired.'],
  payment_invalid: [402, 'The facilitator does not accept the payment; details.reason has the cause.'],
  payment_used: [402, 'The payment was used before, or is in progress; each payment buys one response.'],
  payment_not_settled: [402, 'The facilitator did not settle the payment; details.reason has the cause.'],
  body_too_large: [413, 'The body is larger than this service accepts.'],
  body_broken_off: [400, 'The body ended before it was complete.'],
  bank_unavailable: [
    503,
    'The bank issued no payment request; details.reason has the cause. Nothing was charged.',
  ],
  facilitator_unavailable: [503, 'The facilitator is unreachable; send the same payment again.'],
  chain_unavailable: [
    503,
    'The payment is not confirmed yet, or the chain or bank is unreachable; repeat the call with the same receipt or payment.',
  ],
} as const satisfies Record<string, readonly [RefusalStatus, string]>;

/** A stable code of `PAYWALL_CODES`. */
export type PaywallCode = keyof typeof PAYWALL_CODES;

/** A refusal as a value. */
export interface PaywallRefusal {
  readonly code: PaywallCode;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The checked value, or why it was refused. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: PaywallRefusal };

/** A refusal with details for developers. */
export function refused(code: PaywallCode, details: PaywallRefusal['details'] = {}): Checked<never> {
  return { ok: false, refusal: { code, details } };
}

/** Whether a bank's refusal of `x402/receive` means that its chain does not have the payment. */
export function isNotOnChain(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'transaction_not_found' || code === 'transaction_failed';
}

/** Whether a bank's refusal of `x402/receive` means that the payment has arrived, but not where or as the bank credits it. */
export function isNeverCredited(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'transaction_not_to_bank' || code === 'token_mismatch' || code === 'transaction_too_old';
}

/** A successful check. */
export function passed<T>(value: T): Checked<T> {
  return { ok: true, value };
}
