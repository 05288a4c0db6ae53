import type { PaymentReceipt, PaymentRequest } from '../../../core/domain/payment-request.js';

/** Why a paying client gave up: every code with its remedy. Codes are permanent. */
export const PAYMENT_ERRORS = {
  unsupported_payment:
    'The service answered 402 without X-Payment-Request, so it cannot be paid through the bank. Nothing was paid.',
  malformed_request: 'The service answered 402 with an X-Payment-Request that is none. Nothing was paid.',
  wrong_token: 'The service asks for a token that no limit was given for. Nothing was paid; see maxAmount.',
  too_expensive: 'The service asks for more than the limit. Nothing was paid; see maxAmount.',
  wrong_recipient:
    'The service asks for a payment to another address than its own. Nothing was paid; ask its operator.',
  request_expired: 'The payment request of the service has expired. Nothing was paid; ask the service again.',
  payment_refused: 'The bank refused the payment. Nothing was paid; details.bank_code tells why.',
  payment_unknown:
    'The bank was told to pay and nobody knows what became of it. The next call for the same resource takes this very payment up again, for 23 hours; then look into the history of the account, and forget the payment.',
  refused_after_payment:
    'The service was paid and asks for money again. It was not paid twice: the receipt is with this error, and the next call for the same resource shows it again.',
  not_served:
    'The service was paid and did not answer, or failed. It was not paid twice: the receipt is with this error, and the next call for the same resource shows it again.',
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
