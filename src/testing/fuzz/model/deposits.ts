import type { Agent, Books, KnownTransaction, Move, Outflow } from './books.js';
import { amountBase, isToken, units } from './amounts.js';
import { SOME_TEXT, recordId } from './checks.js';
import { membersOf } from './forms.js';
import { balanceChange, invalidAmount, namedSum, unsupportedToken } from './money-rules.js';
import type { ApiCall, ModelToken, Trouble } from './types.js';
import { keyOf } from './transfers.js';
import { broughtBase, otherMintsBrought, paidBase, senderOf, tokensBrought } from './transactions.js';
import { type Refused, type Verdict, done, isRefused, refused } from './verdict.js';

/** A call's statements about a transaction. */
export interface Claim {
  readonly signature: string;
  readonly address: string;
  /** Null when the call does not state it. */
  readonly token: ModelToken | null;
  /** Base units of the token; null when the call does not state it. */
  readonly base: bigint | null;
  /** The wallet that must have signed and paid; null for any. */
  readonly payer: string | null;
}

/** Check 7: the agent's wallet signed the transaction and paid at least this amount, net of the network fee. */
function hasPaid(known: KnownTransaction, wallet: string, token: ModelToken, base: bigint): boolean {
  return known.signers.includes(wallet) && paidBase(known, wallet, token) >= base;
}

/** The payment that a signature belongs to, while the bank does not know its outcome; undefined for other transactions. */
function underWay(books: Books, signature: string): Outflow | Move | undefined {
  const known = books.transactions.get(signature);
  return known !== undefined && 'at' in known ? books.waiting.get(keyOf(known.at)) : undefined;
}

/** Why a payment whose outcome the bank does not know is not counted. The bank asks the chain only about payments to the treasury. */
function underWayRefusal(books: Books, { signature, address }: Claim, trouble: Trouble): Refused | null {
  const payment = underWay(books, signature);
  if (payment === undefined) return null;
  const named = { tx_signature: signature };
  const isAsked = address === books.modelConfig.treasury;
  if (isAsked && isSilent(trouble)) return refused('chain_unavailable', { reason: SOME_TEXT });
  const isOnChain = payment.transfer?.kind === 'ran';
  return refused(isAsked && !isOnChain ? 'transaction_not_found' : 'transaction_not_confirmed', named);
}

/** Looks up a transaction on the chain. A fault may keep it unconfirmed from then on, once. */
function lookUp(books: Books, signature: string, { chainIsOut, transaction }: Trouble): void {
  const { held, nowMs, schedule, transactions } = books;
  if (chainIsOut || transaction?.kind !== 'unconfirmed' || transaction.ms === 0) return;
  if (!transactions.has(signature) || held.has(signature)) return;
  const atMs = nowMs + transaction.ms;
  books.held = held.set(signature, atMs);
  schedule.add({ atMs, what: { kind: 'arrival', of: { signature } } });
}

/** Whether the chain does not respond when a transaction is looked up. */
function isSilent({ chainIsOut, transaction }: Trouble): boolean {
  return chainIsOut || (transaction?.kind === 'unconfirmed' && transaction.ms === 0);
}

/**
 * The money that a transaction delivered. Checks the transaction in the documented order, and records nothing. Source:
 * docs/reference/fidelity.md, Deposits.
 */
export function arrival(books: Books, claim: Claim, trouble: Trouble) {
  const named = { tx_signature: claim.signature };
  if (books.recorded.has(claim.signature)) return refused('transaction_already_recorded', named);
  const early = underWayRefusal(books, claim, trouble);
  if (early !== null) return early;
  lookUp(books, claim.signature, trouble);
  if (isSilent(trouble)) return refused('chain_unavailable', { reason: SOME_TEXT });
  const known = books.transactions.get(claim.signature);
  if (known === undefined) return refused('transaction_not_found', named);
  if ((books.held.get(claim.signature) ?? 0) > books.nowMs)
    return refused('transaction_not_confirmed', named);
  if (known.hasFailed) return refused('transaction_failed', { ...named, chain_error: SOME_TEXT });
  const tokens = tokensBrought(known, claim.address);
  const [first] = tokens;
  if (first === undefined) {
    const mints = otherMintsBrought(known, claim.address, books.modelConfig);
    if (mints.length === 0) return refused('transaction_not_to_bank', named);
    const expected = claim.token === 'SOL' ? {} : { expected_mint: books.modelConfig.usdcMint };
    return refused('transaction_not_to_bank', { ...named, ...expected, on_chain_mints: mints });
  }
  if (claim.token === null && tokens.length > 1) return refused('token_mismatch', { on_chain: [...tokens] });
  const token = claim.token ?? first;
  if (!tokens.includes(token)) return refused('token_mismatch', { expected: token, on_chain: [...tokens] });
  const base = broughtBase(known, claim.address, token);
  const sender = senderOf(known, token);
  if (claim.payer !== null && !hasPaid(known, claim.payer, token, base))
    return refused('sender_mismatch', { sender });
  if (claim.base !== null && claim.base !== base)
    return refused('amount_mismatch', { expected: units(token, claim.base), on_chain: units(token, base) });
  return { known, token, base, sender };
}

/** Records money sent to the treasury. Source: docs/reference/fidelity.md, Deposits. */
export function deposit(books: Books, agent: Agent, call: ApiCall, trouble: Trouble): Verdict {
  const body = membersOf(call);
  const signature = String(body['tx_signature']);
  const sum = namedSum(body);
  if (isRefused(sum)) return sum;
  const { treasury } = books.modelConfig;
  const came = arrival(books, { signature, address: treasury, ...sum, payer: agent.wallet }, trouble);
  if (isRefused(came)) return came;
  const { token, base, known } = came;
  if ('customer' in known) throw new Error('the bank has not sent anything to its own treasury');
  books.recorded = books.recorded.set(signature, true);
  const before = agent.checking[token];
  agent.checking[token] = before + base;
  const { wallet } = agent;
  books.addRecord(agent, { type: 'deposit', token, amountBase: base, signature, counterparty: wallet });
  return done({
    success: true,
    deposit: { amount: units(token, base), token, tx_signature: signature, verified: true },
    balance: balanceChange(token, before, before + base),
    verification: {
      slot: known.slot,
      blockTime: known.blockTimeSeconds,
      sender: wallet,
      recipient: treasury,
    },
  });
}

/** The token of an amount when the call does not state one: the token that arrived, SOL if both did, USDC if neither did. */
function tokenOfAmount(books: Books, { signature, address }: Claim, trouble: Trouble): ModelToken {
  if (underWay(books, signature) !== undefined) return 'USDC';
  lookUp(books, signature, trouble);
  const known = isSilent(trouble) ? undefined : books.transactions.get(signature);
  return (known === undefined ? undefined : tokensBrought(known, address).at(-1)) ?? 'USDC';
}

/** Credits money received at the caller's collection address. Source: docs/reference/fidelity.md, x402. */
export function receive(books: Books, agent: Agent, call: ApiCall, trouble: Trouble): Verdict {
  const { tx_signature, expected_amount, expected_token } = membersOf(call);
  const signature = String(tx_signature);
  const address = books.modelConfig.collectionOf(agent.wallet);
  if (expected_token !== undefined && !isToken(expected_token))
    return unsupportedToken(expected_token as string);
  const claim: Claim = { signature, address, token: expected_token ?? null, base: null, payer: null };
  let { base } = claim;
  if (expected_amount !== undefined) {
    const readIn = claim.token ?? tokenOfAmount(books, claim, trouble);
    base = amountBase(expected_amount, readIn);
    if (base === null) return invalidAmount(readIn);
  }
  const came = arrival(books, { ...claim, base }, trouble);
  if (isRefused(came)) return came;
  const { token, sender } = came;
  books.recorded = books.recorded.set(signature, true);
  agent.checking[token] += came.base;
  const record = { token, amountBase: came.base, signature, counterparty: sender };
  const at = books.addRecord(agent, { type: 'x402_receive', ...record });
  const amount = units(token, came.base);
  return done({ success: true, payment_id: recordId(at), verified: true, amount, token, sender });
}
