// What the pages of reference say and no table of the code does. The types make the lists complete.
import type { ErrorCode } from '../../src/core/domain/errors.js';
import type { Variants } from '../../src/core/domain/variants.js';

export const SWITCHES: Readonly<Record<keyof Variants, string>> = {
  overview: 'shape of the account overview',
  score: 'range of the credit score',
  purposes: 'allowed loan purposes',
  duration: 'whether a loan application needs a duration; otherwise it is 30 days',
  historyTypes: '`no-credit` leaves borrowing and repayment out of the history',
  withdrawals: 'on chain before the response, or after `withdrawalDelay`',
  dailyWindow: 'window of the daily limits',
  paymentRequests: 'how often a payment request can be paid',
  review: 'who decides applications',
  network: 'USDC mint and name of the network',
  errorStatus: 'status of an error code',
};

/** The values of the switches that have no list of them in the code. */
export const OTHER_SWITCHES = {
  review: ['manual', 'auto', 'delay:<duration>'],
  errorStatus: ['400', '401', '403', '404', '500'],
} as const;

/** The members of `details` of each error. */
export const DETAILS: Readonly<Record<ErrorCode, string>> = {
  invalid_json: 'reason',
  invalid_request: 'issues',
  payload_too_large: 'max_bytes',
  invalid_amount: 'reason, token',
  unsupported_token: 'token, supported',
  invalid_wallet: 'wallet, reason',
  insufficient_balance: 'token, available, requested',
  insufficient_savings: 'token, available, requested',
  collateral_locked: 'max_withdrawable',
  collateral_limit_exceeded: 'available_to_borrow, requested',
  no_outstanding_loan: '',
  transaction_not_found: 'tx_signature',
  transaction_not_confirmed: 'tx_signature',
  transaction_failed: 'tx_signature, or destination and at; chain_error',
  transaction_not_to_bank: 'tx_signature; for another mint on_chain_mints, expected_mint',
  amount_mismatch: 'expected, on_chain',
  token_mismatch: 'expected, on_chain',
  transaction_already_recorded: 'tx_signature',
  transaction_too_old: 'tx_signature',
  payment_request_already_paid: 'request_id, payment_id, status',
  payment_request_expired: 'request_id, expired_at, now',
  loan_amount_out_of_range: 'min, max, requested',
  loan_applications_full: 'max_applications',
  too_many_applications: 'open_applications, max_open_applications',
  loan_not_active: 'status',
  idempotency_key_reused: 'idempotency_key',
  idempotency_keys_full: 'max_keys',
  missing_token: '',
  invalid_token: '',
  token_expired: 'expired_at, now',
  challenge_unknown: '',
  challenge_expired: 'expired_at, now',
  challenge_used: '',
  invalid_signature: 'expected',
  daily_limit_exceeded: 'limit_usd, used_usd, requested_usd, resets_at',
  sender_mismatch: 'sender',
  not_found: 'method, path',
  loan_not_found: 'loan_id',
  chain_unavailable: 'reason, or tx_signature and status',
  oracle_unavailable: 'needed_for, price_as_of, max_age_seconds',
  storage_unavailable: '',
  internal_error: '',
};
