import type { ErrorCode } from './errors.js';

/** The rules of the service, by name. */
export const RULES = {
  'request.form': 'A request matches the OpenAPI document and is JSON of at most 64 KiB.',
  'request.idempotency': 'An Idempotency-Key belongs to one request of one wallet for 24 hours.',
  'amount.form':
    'An amount is a positive JSON number, at most 1e12, with no more decimals than the token (USDC 6, SOL 9).',
  'token.supported': 'Accounts are held in USDC and SOL.',
  'wallet.form':
    'A wallet address is 32 bytes in base58. It is not a token account, a mint, a program or an address of the bank.',
  'auth.token': 'Every call to an account needs a bearer token. Tokens expire (published: after 24 hours).',
  'auth.challenge':
    'A challenge must be signed by its wallet, and is valid once, for a limited time (published: 300 seconds).',
  'checking.balance': 'Checking never falls below zero.',
  'savings.balance': 'Savings never fall below zero.',
  'collateral.ltv':
    'Borrowing and withdrawing keep a collateral loan, including interest, within a share of the USDC savings (published: 70 %).',
  'collateral.open': 'Only an open collateral loan can be repaid.',
  'limit.daily':
    'Withdrawals and x402 payments of a wallet each have a daily limit (published: 1,000 USD), at the current price.',
  'evidence.chain':
    'A transaction counts when it is confirmed, has succeeded, and paid exactly this amount of this token to the expected address.',
  'evidence.once': 'A transaction counts once, for one purpose.',
  'evidence.books': 'A transaction counts when it ran after the books of the bank began.',
  'evidence.sender': "A deposit is paid by the agent's own wallet.",
  'x402.once': 'A payment request is paid once.',
  'x402.expiry': 'A payment request is paid before it expires.',
  'loan.range': 'A credit line is within a range (published: 100 to 10,000 USD).',
  'loan.room': 'Applications are stored permanently, and their number is limited (docs/reference/limits.md).',
  'loan.open': 'The number of undecided applications of an agent is limited (docs/reference/limits.md).',
  'loan.state': 'Only an open loan can be repaid. An application is decided once.',
  'loan.owner': 'An agent can access its own loans only.',
  'chain.transfer':
    'Outgoing money is reserved first. If the chain rejects the transfer, the money returns to checking.',
  'oracle.price': 'A limit in USD needs a price.',
  'storage.write': 'The bank responds only after the books are written.',
  'path.known': 'The OpenAPI document lists the paths of the service.',
  'service.sound': 'A bug in the simulator changes nothing on the books.',
} as const;

export type RuleId = keyof typeof RULES;

type Reason = readonly [rule: RuleId, todo: string];

const AGAIN = 'Repeat the call. For 24 hours an Idempotency-Key makes this safe, even if a response is lost.';
const SIGN_IN = 'Sign in again: POST /agent/auth/challenge, sign the text, POST /agent/auth/verify.';

/** The rule behind every error code, and what the caller can do. */
export const REASONS: Readonly<Record<ErrorCode, Reason>> = {
  invalid_json: ['request.form', 'Send valid JSON.'],
  invalid_request: ['request.form', 'Correct the members named in details.issues.'],
  payload_too_large: ['request.form', 'Send a shorter body: at most 64 KiB.'],
  invalid_amount: ['amount.form', 'Send a positive number, rounded to the decimals of the token.'],
  unsupported_token: ['token.supported', 'Use USDC or SOL.'],
  invalid_wallet: ['wallet.form', 'Use the address of a wallet.'],
  insufficient_balance: ['checking.balance', 'Use at most details.available, or deposit first.'],
  insufficient_savings: [
    'savings.balance',
    'Use at most details.available, or save more first. The yield is paid in addition.',
  ],
  collateral_locked: ['collateral.ltv', 'Withdraw at most details.max_withdrawable, or repay first.'],
  collateral_limit_exceeded: [
    'collateral.ltv',
    'Borrow at most details.available_to_borrow, or save more USDC first.',
  ],
  no_outstanding_loan: ['collateral.open', 'Do not repay: nothing is owed.'],
  transaction_not_found: [
    'evidence.chain',
    'Check the signature. If you have just sent the transaction, wait for its confirmation and repeat the call.',
  ],
  transaction_not_confirmed: ['evidence.chain', 'Wait for the confirmation and repeat the call.'],
  transaction_failed: [
    'evidence.chain',
    'No tokens moved. Read the logs (getTransaction of the RPC), and send a new transaction.',
  ],
  transaction_not_to_bank: [
    'evidence.chain',
    'Send a deposit to the treasury, and a payment to the collection address in the payment request.',
  ],
  amount_mismatch: ['evidence.chain', 'Use the amount on chain: details.on_chain.'],
  token_mismatch: ['evidence.chain', 'Use the token on chain: details.on_chain.'],
  transaction_already_recorded: [
    'evidence.once',
    'Do not repeat the call: a transaction counts once. If GET /agent/account/transactions lacks this payment, another one in the transaction was recorded: send it in a transaction of its own.',
  ],
  transaction_too_old: [
    'evidence.books',
    'Do not repeat the call: the bank never credits it. On a cluster, its books begin at each start.',
  ],
  payment_request_already_paid: [
    'x402.once',
    'Look up the payment in GET /agent/account/transactions. While it is pending, wait for its outcome.',
  ],
  payment_request_expired: ['x402.expiry', 'Request a new payment request from the service.'],
  loan_amount_out_of_range: ['loan.range', 'Use an amount from details.min to details.max.'],
  loan_applications_full: [
    'loan.room',
    'Revert to an earlier snapshot, or start the simulator with --limit loanApplications=<more>.',
  ],
  too_many_applications: ['loan.open', 'Wait until one of the applications is decided.'],
  loan_not_active: ['loan.state', 'Read the status of the loan: GET /agent/loans/{id}.'],
  idempotency_key_reused: ['request.idempotency', 'Use a new key for a new request.'],
  idempotency_keys_full: [
    'request.idempotency',
    'Advance the clock by 24h, or start the simulator with --limit idempotencyKeys=<more>.',
  ],
  missing_token: ['auth.token', 'Send Authorization: Bearer <token>.'],
  invalid_token: ['auth.token', SIGN_IN],
  token_expired: ['auth.token', SIGN_IN],
  challenge_unknown: ['auth.challenge', 'Sign the text that /agent/auth/challenge returned for this wallet.'],
  challenge_expired: ['auth.challenge', SIGN_IN],
  challenge_used: ['auth.challenge', SIGN_IN],
  invalid_signature: [
    'auth.challenge',
    "Sign the UTF-8 bytes of the challenge with the wallet's key and send the signature in base58.",
  ],
  daily_limit_exceeded: [
    'limit.daily',
    'Wait until details.resets_at, or use a smaller amount: details.used_usd of details.limit_usd USD are used. More than details.limit_usd USD are always refused.',
  ],
  sender_mismatch: ['evidence.sender', 'Send the tokens from the wallet that is signed in.'],
  not_found: ['path.known', 'See {base_url}/docs for the paths.'],
  loan_not_found: ['loan.owner', 'See GET /agent/loans for your loans.'],
  chain_unavailable: ['chain.transfer', AGAIN],
  oracle_unavailable: ['oracle.price', 'Wait until prices and rates are available, and repeat the call.'],
  storage_unavailable: ['storage.write', AGAIN],
  internal_error: ['service.sound', 'Report the bug, with the request id and the log.'],
};

/** The same for a transfer by the bank, which the same code names: no transaction that the caller sent. */
const TRANSFER_REASONS: Partial<Record<ErrorCode, Reason>> = {
  transaction_failed: [
    'chain.transfer',
    'The amount is back in checking. Use another amount or destination. An address without lamports must receive the rent minimum of SOL.',
  ],
};

const TRANSFERS: readonly unknown[] = ['withdraw', 'x402Pay'];

/** The rule behind a code, and what the caller can do; null for a code that is not the service's. */
export function reasonOf(code: unknown, operation: string | null): Reason | null {
  if (!Object.hasOwn(REASONS, String(code))) return null;
  const transfer = TRANSFERS.includes(operation) ? TRANSFER_REASONS[code as ErrorCode] : undefined;
  return transfer ?? REASONS[code as ErrorCode];
}

/** What the caller of any operation can do about a code. */
export function remedyOf(code: ErrorCode): string {
  const [, todo] = REASONS[code];
  const transfer = TRANSFER_REASONS[code];
  return transfer === undefined ? todo : `${todo} Of a withdrawal or payment: ${transfer[1]}`;
}
