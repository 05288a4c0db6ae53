/** HTTP statuses that the service description publishes for errors. */
export type ErrorStatus = 400 | 401 | 403 | 404 | 500;

/**
 * Every error code with its HTTP status and message. Codes are permanent: clients branch on them. Only published statuses are used;
 * `variants.errorStatus` may map a code to another of them.
 */
export const ERRORS = {
  invalid_json: [400, 'The request body is not valid JSON.'],
  invalid_request: [400, 'The request does not match the schema; see details.issues.'],
  payload_too_large: [400, 'The request body is larger than 64 KiB.'],
  invalid_amount: [400, 'The amount is not a positive number of whole base units.'],
  unsupported_token: [400, 'The token is not supported; use USDC or SOL.'],
  invalid_wallet: [400, 'The address is not the address of a Solana wallet.'],
  insufficient_balance: [400, 'The checking balance is too small.'],
  insufficient_savings: [400, 'The savings balance is too small.'],
  collateral_locked: [400, 'The savings secure a collateral loan; only part of them can be withdrawn.'],
  collateral_limit_exceeded: [400, 'The amount exceeds the collateral limit.'],
  no_outstanding_loan: [400, 'There is no open collateral loan.'],
  transaction_not_found: [
    400,
    'The chain does not know this transaction; check the signature, or wait and try again.',
  ],
  transaction_not_confirmed: [400, 'The transaction is not confirmed yet; wait, or advance time, and retry.'],
  transaction_failed: [400, 'The transaction failed on chain; no tokens moved.'],
  transaction_not_to_bank: [400, 'The transaction paid nothing to the address that this call checks.'],
  amount_mismatch: [400, 'The amount of the transaction differs from the amount in the request.'],
  token_mismatch: [400, 'The token of the transaction differs from the token in the request.'],
  transaction_already_recorded: [400, 'This transaction was already recorded; a transaction counts once.'],
  transaction_too_old: [
    400,
    'The transaction is older than the books of this bank; their opening balance includes it.',
  ],
  payment_request_already_paid: [400, 'This payment request is already paid, or its payment is in progress.'],
  payment_request_expired: [400, 'The payment request has expired; request a new one from the service.'],
  loan_amount_out_of_range: [400, 'The amount is outside the range of credit lines.'],
  loan_applications_full: [
    400,
    'The bank stores no more applications for credit lines; nothing was changed.',
  ],
  too_many_applications: [400, 'This agent has too many undecided applications; nothing was changed.'],
  loan_not_active: [400, 'The loan is not open for repayment.'],
  idempotency_key_reused: [400, 'This Idempotency-Key was used for another request.'],
  idempotency_keys_full: [
    400,
    'The bank stores no more Idempotency-Keys until the oldest is 24 hours old; nothing was changed.',
  ],
  missing_token: [401, 'The Authorization header with a bearer token is missing.'],
  invalid_token: [401, 'The bearer token is not valid; sign in again.'],
  token_expired: [401, 'The bearer token has expired; sign in again.'],
  challenge_unknown: [401, 'This challenge was not issued to this wallet.'],
  challenge_expired: [401, 'The challenge has expired; request a new one.'],
  challenge_used: [401, 'The challenge was already used; request a new one.'],
  invalid_signature: [401, "The signature is not the wallet's signature of the message."],
  daily_limit_exceeded: [403, 'The daily limit would be exceeded.'],
  sender_mismatch: [403, "The agent's own wallet did not pay this transaction."],
  not_found: [404, 'The service has no such path.'],
  loan_not_found: [404, 'This agent has no such loan.'],
  chain_unavailable: [500, 'The chain did not execute the transfer; nothing was charged.'],
  oracle_unavailable: [500, 'Prices and rates are unavailable; nothing was changed.'],
  storage_unavailable: [
    500,
    'The bank cannot write to its data folder, or its world was reverted; nothing was changed.',
  ],
  internal_error: [500, 'Internal error of the simulator; nothing was changed.'],
} as const satisfies Record<string, readonly [ErrorStatus, string]>;

/** A stable error code of `ERRORS`. */
export type ErrorCode = keyof typeof ERRORS;

/** Whether a new token helps: the call was refused before any effect. */
export const isTokenRefused = (code: unknown): boolean =>
  code === 'invalid_token' || code === 'token_expired';

/** Why a call was refused. `message` overrides the table's sentence where numbers make it clearer. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** The outflow that was sent while its outcome is unknown: it may still succeed. Absent when nothing is in flight. */
  readonly underWay?: number;
}

export function messageOf(refusal: Refusal): string {
  return refusal.message ?? ERRORS[refusal.code][1];
}
