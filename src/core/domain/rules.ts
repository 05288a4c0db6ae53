import type { ErrorCode } from './errors.js';

/** The rules of the service by name, in words for people. */
export const RULES = {
  'request.form': 'A request has the shape that the OpenAPI document gives, as JSON of at most 64 KiB.',
  'request.idempotency': 'An Idempotency-Key belongs to one request of one wallet for 24 hours.',
  'amount.form':
    'An amount is a positive JSON number of at most 1e12 that is not finer than the token (USDC 6 decimals, SOL 9).',
  'token.supported': 'Accounts are held in USDC and SOL.',
  'wallet.form': 'A wallet is 32 bytes in base58, of a wallet and not of a token account or of the bank.',
  'auth.token':
    'Every call of an account carries a bearer token; a token is good for the time that the world sets (published: 24 hours).',
  'auth.challenge':
    'A challenge is signed by its wallet, used once, within the time that the world sets (published: 300 seconds).',
  'checking.balance': 'Checking never falls below zero.',
  'savings.balance': 'Savings never fall below zero.',
  'collateral.ltv':
    'A collateral loan, interest included, never exceeds the LTV of the world times the USDC savings (published: 70 %).',
  'collateral.open': 'Only an open collateral loan can be repaid.',
  'limit.daily':
    'A wallet may withdraw, and may pay by x402, up to a daily limit each (published: 1,000 USD), at the price of that moment.',
  'evidence.chain':
    'Money from the chain counts when its transaction is confirmed, succeeded, and paid exactly this amount of this token to the address looked at.',
  'evidence.once': 'A transaction counts once, for one purpose.',
  'evidence.sender': "A deposit is paid by the agent's own wallet.",
  'x402.once': 'A payment request is paid once.',
  'x402.expiry': 'A payment request is paid before it expires.',
  'loan.range': 'A credit line lies within the bounds of the world (published: 100 to 10,000 USD).',
  'loan.room': 'Applications are kept for good, and are limited in number (docs/reference/limits.md).',
  'loan.open': 'An agent has few applications open at once (docs/reference/limits.md).',
  'loan.state': 'A loan is repaid while it is open, and decided once.',
  'loan.owner': 'An agent sees its own loans only.',
  'chain.transfer':
    'Money that leaves is reserved first, and is back in checking when the chain does not take the transfer.',
  'oracle.price': 'What is limited in USD needs a price.',
  'storage.write': 'Nothing is answered that is not on the books.',
  'path.known': 'The paths of the service are in its OpenAPI document.',
  'service.sound': 'A bug of the simulator changes nothing.',
} as const;

export type RuleId = keyof typeof RULES;

/** The rule behind a refusal, and what its caller can do. */
export interface Reason {
  readonly rule: RuleId;
  readonly todo: string;
}

const AGAIN = 'Make the same call again; with an Idempotency-Key that is safe even when an answer gets lost.';
const SIGN_IN = 'Sign in again: POST /agent/auth/challenge, sign its text, POST /agent/auth/verify.';

/** The rule and the remedy behind every error code. */
export const REASONS: Readonly<Record<ErrorCode, Reason>> = {
  invalid_json: { rule: 'request.form', todo: 'Send a body that JSON.parse can read.' },
  invalid_request: { rule: 'request.form', todo: 'Correct the members that details.issues names.' },
  payload_too_large: { rule: 'request.form', todo: 'Send a shorter body: at most 64 KiB.' },
  invalid_amount: {
    rule: 'amount.form',
    todo: 'Send a positive number, rounded to the decimals of the token.',
  },
  unsupported_token: { rule: 'token.supported', todo: 'Use USDC or SOL.' },
  invalid_wallet: { rule: 'wallet.form', todo: 'Give the address of a wallet.' },
  insufficient_balance: { rule: 'checking.balance', todo: 'Ask for less, or deposit first.' },
  insufficient_savings: { rule: 'savings.balance', todo: 'Ask for less; yield comes on top by itself.' },
  collateral_locked: {
    rule: 'collateral.ltv',
    todo: 'Take at most details.max_withdrawable, or repay first.',
  },
  collateral_limit_exceeded: {
    rule: 'collateral.ltv',
    todo: 'Borrow at most details.available_to_borrow, or save more USDC first.',
  },
  no_outstanding_loan: { rule: 'collateral.open', todo: 'There is nothing to repay.' },
  transaction_not_found: {
    rule: 'evidence.chain',
    todo: 'Check the signature; if the transaction was sent a moment ago, wait for its confirmation and call again.',
  },
  transaction_not_confirmed: { rule: 'evidence.chain', todo: 'Wait for the confirmation and call again.' },
  transaction_failed: {
    rule: 'evidence.chain',
    todo: 'Nothing moved; find out why it failed (getTransaction of the RPC has its logs) and send a new one.',
  },
  transaction_not_to_bank: {
    rule: 'evidence.chain',
    todo: 'A deposit goes to the treasury, a payment to the collection address of the payment request.',
  },
  amount_mismatch: {
    rule: 'evidence.chain',
    todo: 'Give the amount that the chain shows (details.on_chain).',
  },
  token_mismatch: { rule: 'evidence.chain', todo: 'Name the token that the transaction moved.' },
  transaction_already_recorded: {
    rule: 'evidence.once',
    todo: 'It is credited already; look at the transactions.',
  },
  payment_request_already_paid: {
    rule: 'x402.once',
    todo: 'Look the payment up in the transactions; while it is pending, wait for its outcome.',
  },
  payment_request_expired: { rule: 'x402.expiry', todo: 'Ask the service for a new payment request.' },
  loan_amount_out_of_range: { rule: 'loan.range', todo: 'Ask for an amount within the range.' },
  loan_applications_full: {
    rule: 'loan.room',
    todo: 'Revert to a snapshot from before, or start with --limit loanApplications=<more>.',
  },
  too_many_applications: { rule: 'loan.open', todo: 'Wait until one of them is decided.' },
  loan_not_active: { rule: 'loan.state', todo: 'Look at the loan: GET /agent/loans/{id}.' },
  idempotency_key_reused: { rule: 'request.idempotency', todo: 'Use a new key for a new request.' },
  idempotency_keys_full: {
    rule: 'request.idempotency',
    todo: 'Advance the clock by 24h, or start with --limit idempotencyKeys=<more>.',
  },
  missing_token: { rule: 'auth.token', todo: 'Send Authorization: Bearer <token>.' },
  invalid_token: { rule: 'auth.token', todo: SIGN_IN },
  token_expired: { rule: 'auth.token', todo: SIGN_IN },
  challenge_unknown: {
    rule: 'auth.challenge',
    todo: 'Sign the text that /agent/auth/challenge gave to this wallet.',
  },
  challenge_expired: { rule: 'auth.challenge', todo: SIGN_IN },
  challenge_used: { rule: 'auth.challenge', todo: SIGN_IN },
  invalid_signature: {
    rule: 'auth.challenge',
    todo: "Sign the UTF-8 bytes of the challenge with the wallet's key and send the signature in base58.",
  },
  daily_limit_exceeded: { rule: 'limit.daily', todo: 'Wait until details.resets_at, or ask for less.' },
  sender_mismatch: { rule: 'evidence.sender', todo: 'Pay from the wallet that is signed in.' },
  not_found: { rule: 'path.known', todo: 'See {base_url}/docs.' },
  loan_not_found: { rule: 'loan.owner', todo: 'See GET /agent/loans for your loans.' },
  chain_unavailable: { rule: 'chain.transfer', todo: AGAIN },
  oracle_unavailable: { rule: 'oracle.price', todo: 'Wait until the oracle is back and call again.' },
  storage_unavailable: { rule: 'storage.write', todo: AGAIN },
  internal_error: { rule: 'service.sound', todo: 'Please report it with the request id and the log.' },
};
