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

/** The rule behind a refusal, and what the caller can do. */
export interface Reason {
  readonly rule: RuleId;
  readonly todo: string;
}

const AGAIN = 'Repeat the call. With an Idempotency-Key this is safe, even if a response is lost.';
const SIGN_IN = 'Sign in again: POST /agent/auth/challenge, sign the text, POST /agent/auth/verify.';

/** The rule and the remedy behind every error code. */
export const REASONS: Readonly<Record<ErrorCode, Reason>> = {
  invalid_json: { rule: 'request.form', todo: 'Send valid JSON.' },
  invalid_request: { rule: 'request.form', todo: 'Correct the members named in details.issues.' },
  payload_too_large: { rule: 'request.form', todo: 'Send a shorter body: at most 64 KiB.' },
  invalid_amount: {
    rule: 'amount.form',
    todo: 'Send a positive number, rounded to the decimals of the token.',
  },
  unsupported_token: { rule: 'token.supported', todo: 'Use USDC or SOL.' },
  invalid_wallet: { rule: 'wallet.form', todo: 'Use the address of a wallet.' },
  insufficient_balance: { rule: 'checking.balance', todo: 'Use a smaller amount, or deposit first.' },
  insufficient_savings: {
    rule: 'savings.balance',
    todo: 'Use a smaller amount. The yield is paid in addition.',
  },
  collateral_locked: {
    rule: 'collateral.ltv',
    todo: 'Withdraw at most details.max_withdrawable, or repay first.',
  },
  collateral_limit_exceeded: {
    rule: 'collateral.ltv',
    todo: 'Borrow at most details.available_to_borrow, or save more USDC first.',
  },
  no_outstanding_loan: { rule: 'collateral.open', todo: 'Do not repay: nothing is owed.' },
  transaction_not_found: {
    rule: 'evidence.chain',
    todo: 'Check the signature. If you have just sent the transaction, wait for its confirmation and repeat the call.',
  },
  transaction_not_confirmed: {
    rule: 'evidence.chain',
    todo: 'Wait for the confirmation and repeat the call.',
  },
  transaction_failed: {
    rule: 'evidence.chain',
    todo: 'No tokens moved. Read the logs (getTransaction of the RPC), and send a new transaction.',
  },
  transaction_not_to_bank: {
    rule: 'evidence.chain',
    todo: 'Send a deposit to the treasury, and a payment to the collection address in the payment request.',
  },
  amount_mismatch: {
    rule: 'evidence.chain',
    todo: 'Use the amount on chain: details.on_chain.',
  },
  token_mismatch: { rule: 'evidence.chain', todo: 'Use the token on chain: details.on_chain.' },
  transaction_already_recorded: {
    rule: 'evidence.once',
    todo: 'Do not repeat the call: the transaction is already credited. See GET /agent/account/transactions.',
  },
  payment_request_already_paid: {
    rule: 'x402.once',
    todo: 'Look up the payment in GET /agent/account/transactions. While it is pending, wait for its outcome.',
  },
  payment_request_expired: { rule: 'x402.expiry', todo: 'Request a new payment request from the service.' },
  loan_amount_out_of_range: { rule: 'loan.range', todo: 'Use an amount from details.min to details.max.' },
  loan_applications_full: {
    rule: 'loan.room',
    todo: 'Revert to an earlier snapshot, or start the simulator with --limit loanApplications=<more>.',
  },
  too_many_applications: { rule: 'loan.open', todo: 'Wait until one of the applications is decided.' },
  loan_not_active: { rule: 'loan.state', todo: 'Read the status of the loan: GET /agent/loans/{id}.' },
  idempotency_key_reused: { rule: 'request.idempotency', todo: 'Use a new key for a new request.' },
  idempotency_keys_full: {
    rule: 'request.idempotency',
    todo: 'Advance the clock by 24h, or start the simulator with --limit idempotencyKeys=<more>.',
  },
  missing_token: { rule: 'auth.token', todo: 'Send Authorization: Bearer <token>.' },
  invalid_token: { rule: 'auth.token', todo: SIGN_IN },
  token_expired: { rule: 'auth.token', todo: SIGN_IN },
  challenge_unknown: {
    rule: 'auth.challenge',
    todo: 'Sign the text that /agent/auth/challenge returned for this wallet.',
  },
  challenge_expired: { rule: 'auth.challenge', todo: SIGN_IN },
  challenge_used: { rule: 'auth.challenge', todo: SIGN_IN },
  invalid_signature: {
    rule: 'auth.challenge',
    todo: "Sign the UTF-8 bytes of the challenge with the wallet's key and send the signature in base58.",
  },
  daily_limit_exceeded: {
    rule: 'limit.daily',
    todo: 'Wait until details.resets_at, or use a smaller amount.',
  },
  sender_mismatch: { rule: 'evidence.sender', todo: 'Send the tokens from the wallet that is signed in.' },
  not_found: { rule: 'path.known', todo: 'See {base_url}/docs for the paths.' },
  loan_not_found: { rule: 'loan.owner', todo: 'See GET /agent/loans for your loans.' },
  chain_unavailable: { rule: 'chain.transfer', todo: AGAIN },
  oracle_unavailable: {
    rule: 'oracle.price',
    todo: 'Wait until prices and rates are available, and repeat the call.',
  },
  storage_unavailable: { rule: 'storage.write', todo: AGAIN },
  internal_error: { rule: 'service.sound', todo: 'Report the bug, with the request id and the log.' },
};
