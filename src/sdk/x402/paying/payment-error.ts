import type { PaymentReceipt, PaymentRequest } from '../../../core/domain/payment-request.js';

/** Why a paying client gave up: each code with its remedy. Codes are permanent. */
export const PAYMENT_ERRORS = {
  unsupported_payment:
    'The service returned 402 without X-Payment-Request, so it cannot be paid through the bank. Nothing was paid. Pay standard x402 (details.is_standard_x402) from a wallet, with @x402/fetch or with fetch_paid over MCP.',
  malformed_request: 'The service returned 402 with an invalid X-Payment-Request. Nothing was paid.',
  wrong_token: 'The service asks for a token without a limit. Nothing was paid; see maxAmount.',
  too_expensive: 'The service asks for more than the limit. Nothing was paid; see maxAmount.',
  wrong_recipient:
    'The service asks for a payment to an address other than details.expected. Nothing was paid; see recipient, or ask its operator.',
  request_expired: 'The payment request of the service has expired. Nothing was paid; ask the service again.',
  payment_refused: 'The bank refused the payment. Nothing was paid; details.bank_code has the reason.',
  payment_unknown:
    "The bank received the payment, and its outcome is unknown. For 23 hours, the next call for the same resource resumes this payment. After that, check the account's history, then forget the payment.",
  refused_after_payment:
    "The service was paid and asks for money again; details.service_code is its reason. It was not paid twice: this error contains the receipt. The next call for the same resource presents it again. After receipt_used and receipt_unknown_request that does not help: show the receipt to the operator of the service, or call the paying fetch's forget(details.payment) to pay again.",
  not_served:
    'The service was paid and did not respond, or failed. It was not paid twice: this error contains the receipt, and the next call for the same resource presents it again.',
} as const;

/** A stable code of `PAYMENT_ERRORS`. */
export type PaymentErrorCode = keyof typeof PAYMENT_ERRORS;

/** Thrown when a paying client gives up. `receipt` is set when money was paid; keep it, since it can still be presented. */
export class PaymentError extends Error {
  override readonly name = 'PaymentError';
  readonly code: PaymentErrorCode;
  /** Whether money was paid, by this call or an earlier one for the same payment. */
  readonly isPaid: boolean | 'unknown';
  /** The service's payment request; null when it could not be parsed. */
  readonly request: PaymentRequest | null;
  readonly receipt: PaymentReceipt | null;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: PaymentErrorCode,
    about: {
      readonly request?: PaymentRequest | undefined;
      readonly receipt?: PaymentReceipt | null | undefined;
      readonly details?: Readonly<Record<string, unknown>>;
      readonly cause?: unknown;
    } = {},
  ) {
    super(PAYMENT_ERRORS[code], about.cause === undefined ? {} : { cause: about.cause });
    this.code = code;
    this.request = about.request ?? null;
    this.receipt = about.receipt ?? null;
    this.isPaid = code === 'payment_unknown' ? 'unknown' : this.receipt !== null;
    this.details = about.details ?? {};
  }
}
