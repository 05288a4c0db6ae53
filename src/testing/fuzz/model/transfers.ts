import type { Agent } from './agent.js';
import { amountBase, isToken, iso, worthMicroUsd, units } from './amounts.js';
import { supplied } from './supply.js';
import type { Books, Outflow } from './books.js';
import { RecordId, RecordSignature, SOME_TEXT, WithOptional } from './checks.js';
import type { DailyLimit, Use } from './daily-limit.js';
import { membersOf } from './forms.js';
import {
  balanceChange,
  insufficientBalance,
  invalidAmount,
  isRefused,
  unsupportedToken,
} from './money-rules.js';
import { run, sentUnderTrouble, settle } from './in-flight.js';
import { type Bound, assetOf, boundRequest, paymentOf } from './payment-requests.js';
import { finished } from './steps.js';
import type { ApiCall, ModelToken, Steps, Trouble } from './types.js';
import { Receipt } from './receipts.js';
import { walletRefusal } from './sign-in.js';
import { type Refused, type Verdict, done, refused } from './verdict.js';

interface Wanted {
  readonly type: 'withdraw' | 'x402_payment';
  readonly token: ModelToken;
  readonly base: bigint;
  /** The recipient as the agent names it; `to` is the receiving address. */
  readonly named: string;
  readonly to: string;
  readonly memo: string | null;
}

/** Programs of every cluster whose addresses are not names padded with 1s. */
const PROGRAMS: ReadonlySet<string> = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
]);

function invalidWallet(wallet: string): Refused {
  return refused('invalid_wallet', { wallet, reason: SOME_TEXT });
}

/** Validates token and wallet of a call. Source: docs/reference/fidelity.md, Errors. */
function namesRefusal(books: Books, token: unknown, wallet: string): Refused | null {
  if (!isToken(token)) return unsupportedToken(String(token));
  if (books.tokenAccounts.has(books, wallet)) return invalidWallet(wallet);
  const refusal = walletRefusal(wallet);
  if (refusal !== null) return refusal;
  const isKeyless = wallet.endsWith('1'.repeat(10)) || PROGRAMS.has(wallet);
  return isKeyless || wallet === books.modelConfig.treasury ? invalidWallet(wallet) : null;
}

/** Checks balance, then oracle, then daily limit. Returns the use of the limit. */
function reserve(
  books: Books,
  agent: Agent,
  { token, base, limit }: { token: ModelToken; base: bigint; limit: DailyLimit },
  trouble: Trouble,
): Use | Refused {
  const available = agent.checking[token];
  if (base > available) return insufficientBalance(token, available, base);
  const noPrice = books.oracle.refusal(token, books.nowMs, trouble);
  if (noPrice !== null) return noPrice;
  const use = { atMs: books.nowMs, microUsd: worthMicroUsd(token, base, books.priceE8(token)) };
  const noRoom = limit.refusal(use.microUsd, books.nowMs);
  if (noRoom !== null) return noRoom;
  agent.checking[token] = available - base;
  return use;
}

/** Records an unsettled transfer. Returns the record's index. */
function waitingFor(
  books: Books,
  { wallet, history, checking }: Agent,
  { type, token, base, named, to, memo }: Wanted,
  { use, limit }: Reserved,
): number {
  const record = history.add({
    type,
    token,
    amountBase: base,
    status: 'pending',
    carriedTo: to,
    counterparty: named,
    memo,
    createdAtMs: books.nowMs,
    balanceAfterBase: checking[token],
  });
  limit.use(use);
  const from = books.modelConfig.treasury;
  const of = { wallet, record, token, amountBase: base, from, destination: to };
  books.waiting.set(`${wallet}/${record}`, { kind: 'outflow', ...of, use, transfer: null });
  return record;
}

/** Sends a transfer immediately. Returns why it failed on chain; null if it did not. */
function* sentNow(books: Books, key: string): Steps<Refused | null> {
  yield { kind: 'chain' };
  const waiting = books.waiting.get(key) as Outflow;
  const ran = run(books, waiting);
  if (!ran.isRejected) return null;
  books.waiting.set(key, { ...waiting, transfer: { kind: 'ran', untilMs: Infinity, ...ran } });
  // Its amount stays reserved until the failure is booked.
  yield { kind: 'chain' };
  const members = { destination: waiting.destination, chain_error: SOME_TEXT };
  return refused('transaction_failed', new WithOptional(members, { at: iso(books.nowMs) }));
}

interface Reserved {
  readonly use: Use;
  readonly limit: DailyLimit;
  /** Called with the index of its record. */
  readonly onReserved?: (index: number) => void;
}

interface CarriedOut {
  readonly index: number;
  readonly failure: Refused | null;
  readonly isUnderWay: boolean;
}

/** Sends a transfer; returns the index of its record, and why it failed. `isUnderWay` while the bank does not know the outcome. */
function* carriedOutUnder(
  books: Books,
  agent: Agent,
  wanted: Wanted,
  { use, limit, trouble, onReserved }: Reserved & { trouble: Trouble },
): Steps<CarriedOut> {
  const index = waitingFor(books, agent, wanted, { use, limit });
  onReserved?.(index);
  const key = `${agent.wallet}/${index}`;
  const canSend = (yield* supplied(books, wanted.token, trouble)) && !trouble.chainIsOut;
  if (canSend && trouble.transaction !== null) {
    const waiting = books.waiting.get(key) as Outflow;
    books.waiting.set(key, {
      ...waiting,
      transfer: sentUnderTrouble(books, { ...waiting, key }, trouble.transaction),
    });
    return { index, failure: null, isUnderWay: true };
  }
  const refusal = canSend ? yield* sentNow(books, key) : refused('chain_unavailable', { reason: SOME_TEXT });
  settle(books, key, refusal === null);
  // The next process finds the failure under its key.
  const underWay = { at: { wallet: agent.wallet, index }, body: null };
  const failure = refusal !== null && trouble.isKilled ? { ...refusal, underWay } : refusal;
  return { index, failure, isUnderWay: false };
}

/** Withdraws from checking to a wallet, immediately or queued. Source: docs/reference/fidelity.md, Withdrawals and x402 payments. */
export function* withdraw(books: Books, agent: Agent, call: ApiCall, trouble: Trouble): Steps<Verdict> {
  const body = membersOf(call);
  const destination = typeof body['destination'] === 'string' ? body['destination'] : agent.wallet;
  const names = namesRefusal(books, body['token'], destination);
  if (names !== null) return names;
  const token = body['token'] as ModelToken;
  const base = amountBase(body['amount'], token);
  if (base === null) return invalidAmount(token);
  const before = agent.checking[token];
  const limit = agent.withdrawals;
  const use = reserve(books, agent, { token, base, limit }, trouble);
  if (isRefused(use)) return use;
  const wanted = { type: 'withdraw', token, base, named: destination, to: destination, memo: null } as const;
  const isQueued = books.modelConfig.variants.withdrawals === 'queued';
  const { index, failure, isUnderWay } = isQueued
    ? queued(books, agent, wanted, { use, limit })
    : yield* carriedOutUnder(books, agent, wanted, { use, limit, trouble });
  if (failure !== null) return failure;
  const at = { wallet: agent.wallet, index };
  return done({
    success: true,
    withdrawal: {
      id: new RecordId(at),
      amount: units(token, base),
      token,
      destination,
      status: isUnderWay ? 'pending' : 'completed',
      tx_signature: isUnderWay ? null : new RecordSignature(at),
    },
    balance: balanceChange(token, before, before - base),
  });
}

function queued(books: Books, agent: Agent, wanted: Wanted, { use, limit }: Reserved): CarriedOut {
  const index = waitingFor(books, agent, wanted, { use, limit });
  const atMs = books.nowMs + books.modelConfig.withdrawalDelayMs;
  books.schedule.add({ atMs, what: { kind: 'withdrawal', wallet: agent.wallet, record: index } });
  return { index, failure: null, isUnderWay: true };
}

/** Executes a queued withdrawal; the chain may reject it. Source: docs/reference/fidelity.md, Withdrawals and x402 payments. */
export function carryOutQueued(books: Books, wallet: string, record: number): boolean | null {
  const key = `${wallet}/${record}`;
  const waiting = books.waiting.get(key);
  if (waiting === undefined) return null;
  const canSend = finished(supplied(books, waiting.token, { chainIsOut: false, transaction: null }));
  const isDone = canSend && !run(books, waiting).isRejected;
  settle(books, key, isDone);
  return isDone;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Makes an x402 payment and returns its receipt. Source: docs/reference/fidelity.md, x402. */
export function* pay(books: Books, agent: Agent, call: ApiCall, trouble: Trouble): Steps<Verdict> {
  const body = membersOf(call);
  const recipient = String(body['recipient']);
  const names = namesRefusal(books, body['token'], recipient);
  if (names !== null) return names;
  const token = body['token'] as ModelToken;
  const payTo = books.paidAt(recipient);
  let bound: Bound | null = null;
  if (typeof body['payment_request'] === 'string') {
    const paying = { recipient, payTo, token, amount: body['amount'] };
    const found = boundRequest(books, body['payment_request'], paying);
    if (isRefused(found)) return found;
    bound = found;
  }
  const base = amountBase(body['amount'], token);
  if (base === null) return invalidAmount(token);
  const limit = agent.payments;
  const use = reserve(books, agent, { token, base, limit }, trouble);
  if (isRefused(use)) return use;
  const memo = textOrNull(body['memo']);
  const wanted = { type: 'x402_payment', token, base, named: recipient, to: payTo, memo } as const;
  const { wallet } = agent;
  const onReserved = (index: number) => {
    if (bound !== null && paymentOf(books, bound.key) === null)
      books.paidRequests.set(bound.key, { wallet, index });
  };
  const reserved = { use, limit, onReserved };
  const { index, failure, isUnderWay } = yield* carriedOutUnder(books, agent, wanted, {
    ...reserved,
    trouble,
  });
  if (failure !== null) return failure;
  const at = { wallet, index };
  const { modelConfig } = books;
  const receipt = new Receipt(modelConfig.receiptIssuer, {
    version: '1',
    payment_id: new RecordId(at),
    request_id: bound?.requestId ?? null,
    payer: agent.wallet,
    recipient,
    pay_to: payTo,
    amount: units(token, base),
    token,
    asset: assetOf(modelConfig, token),
    network: modelConfig.network,
    tx_signature: new RecordSignature(at),
    service_url: textOrNull(body['service_url']),
    memo,
    issued_at: iso(books.nowMs),
  });
  const response = {
    success: true,
    payment_id: new RecordId(at),
    tx_signature: new RecordSignature(at),
    receipt,
  };
  return isUnderWay ? { ...paymentUnderWay(), underWay: { at, body: response } } : done(response);
}

/** The response to a payment whose outcome is unknown. Source: docs/reference/faults.md, Effects. */
export function paymentUnderWay(): Refused {
  return refused('chain_unavailable', { tx_signature: SOME_TEXT, status: 'pending' });
}
