import type { Agent, Spending, Use, Books, Outflow } from './books.js';
import { amountBase, isToken, iso, worthMicroUsd, units, DAY_MS, usdNumber } from './amounts.js';
import { supplied, run, sentUnderTrouble, settle, finished } from './treasury.js';
import { SOME_TEXT, recordId, recordSignature, withOptional } from './checks.js';
import type { Place } from './compare.js';
import { membersOf } from './forms.js';
import { balanceChange, insufficientBalance, invalidAmount, unsupportedToken } from './money-rules.js';
import { assetOf, boundRequest, paymentOf, receipt } from './payment-requests.js';
import type { ApiCall, ModelToken, Steps, Trouble } from './types.js';
import { invalidWallet, walletRefusal } from './sign-in.js';
import { holdsTokens } from './transactions.js';
import { type Refused, type Verdict, done, isRefused, refused } from './verdict.js';

interface Wanted {
  readonly type: Spending;
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

/** Validates token and wallet of a call. Source: docs/reference/fidelity.md, Errors. */
function namesRefusal(books: Books, token: unknown, wallet: string): Refused | null {
  if (!isToken(token)) return unsupportedToken(String(token));
  if (holdsTokens(books, wallet)) return invalidWallet(wallet);
  const refusal = walletRefusal(wallet);
  if (refusal !== null) return refusal;
  const isKeyless = wallet.endsWith('1'.repeat(10)) || PROGRAMS.has(wallet);
  return isKeyless || wallet === books.modelConfig.treasury ? invalidWallet(wallet) : null;
}

/** Checks balance, then oracle, then daily limit, and records an unsettled transfer. Returns its record. */
function reserve(
  books: Books,
  agent: Agent,
  { type, token, base, named, to, memo }: Wanted,
  trouble: Trouble,
): Place | Refused {
  const available = agent.checking[token];
  if (base > available) return insufficientBalance(token, available, base);
  const noPrice = books.oracle.refusal(token, books.nowMs, trouble);
  if (noPrice !== null) return noPrice;
  const use: Use = { atMs: books.nowMs, microUsd: worthMicroUsd(token, base, books.priceE8(token)) };
  const noRoom = limitRefusal(books, agent, { type, microUsd: use.microUsd });
  if (noRoom !== null) return noRoom;
  agent.checking[token] = available - base;
  agent.uses[type] = [...agent.uses[type], use];
  const record = { type, token, amountBase: base, carriedTo: to, counterparty: named, memo };
  const at = books.addRecord(agent, { ...record, status: 'pending' });
  const transfer = { token, amountBase: base, from: books.modelConfig.treasury, destination: to };
  books.waiting.set(keyOf(at), { kind: 'outflow', type, at, use, ...transfer, transfer: null });
  return at;
}

/** The key of a record's transfer in `Books.waiting`. */
export function keyOf({ wallet, index }: Place): string {
  return `${wallet}/${index}`;
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
  return refused('transaction_failed', withOptional(members, { at: iso(books.nowMs) }));
}

/** Sends a reserved transfer; returns why it failed. `isUnderWay` while the bank does not know the outcome. */
function* carriedOut(
  books: Books,
  at: Place,
  token: ModelToken,
  trouble: Trouble,
): Steps<{ failure: Refused | null; isUnderWay: boolean }> {
  const key = keyOf(at);
  const canSend = (yield* supplied(books, token, trouble)) && !trouble.chainIsOut;
  if (canSend && trouble.transaction !== null) {
    const waiting = books.waiting.get(key) as Outflow;
    const transfer = sentUnderTrouble(books, { ...waiting, key }, trouble.transaction);
    books.waiting.set(key, { ...waiting, transfer });
    return { failure: null, isUnderWay: true };
  }
  const refusal = canSend ? yield* sentNow(books, key) : refused('chain_unavailable', { reason: SOME_TEXT });
  settle(books, key, refusal === null);
  // The next process finds the failure under its key.
  const underWay = { at, body: null };
  const failure = refusal !== null && trouble.isKilled ? { ...refusal, underWay } : refusal;
  return { failure, isUnderWay: false };
}

/** Withdraws from checking to a wallet, immediately or queued. Source: docs/reference/fidelity.md, Withdrawals and x402 payments. */
export function* withdraw(books: Books, agent: Agent, call: ApiCall, trouble: Trouble): Steps<Verdict> {
  const body = membersOf(call);
  const destination = textOrNull(body['destination']) ?? agent.wallet;
  const names = namesRefusal(books, body['token'], destination);
  if (names !== null) return names;
  const token = body['token'] as ModelToken;
  const base = amountBase(body['amount'], token);
  if (base === null) return invalidAmount(token);
  const before = agent.checking[token];
  const wanted = { type: 'withdraw', token, base, named: destination, to: destination, memo: null } as const;
  const at = reserve(books, agent, wanted, trouble);
  if (isRefused(at)) return at;
  const { variants, withdrawalDelayMs } = books.modelConfig;
  const isQueued = variants.withdrawals === 'queued';
  if (isQueued)
    books.schedule.add({ atMs: books.nowMs + withdrawalDelayMs, what: { kind: 'withdrawal', at } });
  const { failure, isUnderWay } = isQueued
    ? { failure: null, isUnderWay: true }
    : yield* carriedOut(books, at, token, trouble);
  if (failure !== null) return failure;
  return done({
    success: true,
    withdrawal: {
      id: recordId(at),
      amount: units(token, base),
      token,
      destination,
      status: isUnderWay ? 'pending' : 'completed',
      tx_signature: isUnderWay ? null : recordSignature(at),
    },
    balance: balanceChange(token, before, before - base),
  });
}

/** Executes a queued withdrawal; the chain may reject it. Source: docs/reference/fidelity.md, Withdrawals and x402 payments. */
export function carryOutQueued(books: Books, at: Place): boolean | null {
  const key = keyOf(at);
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
  const header = textOrNull(body['payment_request']);
  const paying = { recipient, payTo, token, amount: body['amount'] };
  const bound = header === null ? null : boundRequest(books, header, paying);
  if (bound !== null && isRefused(bound)) return bound;
  const base = amountBase(body['amount'], token);
  if (base === null) return invalidAmount(token);
  const memo = textOrNull(body['memo']);
  const wanted = { type: 'x402_payment', token, base, named: recipient, to: payTo, memo } as const;
  const at = reserve(books, agent, wanted, trouble);
  if (isRefused(at)) return at;
  if (bound !== null && paymentOf(books, bound.key) === null)
    books.paidRequests = books.paidRequests.set(bound.key, at);
  const { failure, isUnderWay } = yield* carriedOut(books, at, token, trouble);
  if (failure !== null) return failure;
  const { receiptIssuer, network } = books.modelConfig;
  const response = {
    success: true,
    payment_id: recordId(at),
    tx_signature: recordSignature(at),
    receipt: receipt(receiptIssuer, {
      version: '1',
      payment_id: recordId(at),
      request_id: bound?.requestId ?? null,
      payer: agent.wallet,
      recipient,
      pay_to: payTo,
      amount: units(token, base),
      token,
      asset: assetOf(books.modelConfig, token),
      network,
      tx_signature: recordSignature(at),
      service_url: textOrNull(body['service_url']),
      memo,
      issued_at: iso(books.nowMs),
    }),
  };
  return isUnderWay ? { ...paymentUnderWay(at), underWay: { at, body: response } } : done(response);
}

/** The response to a payment whose outcome is unknown. Source: docs/reference/faults.md, Effects. */
export function paymentUnderWay(at: Place): Refused {
  return refused('chain_unavailable', { tx_signature: recordSignature(at), status: 'pending' });
}

const LIMITS = { withdraw: 'dailyWithdrawalUsd', x402_payment: 'dailyPaymentUsd' } as const;

/** The uses that count now: of the UTC day, or of the last 24 hours. */
function counted({ nowMs, modelConfig }: Books, { uses }: Agent, type: Spending): readonly Use[] {
  const isUtcDay = modelConfig.variants.dailyWindow === 'utc-day';
  const fromMs = isUtcDay ? nowMs - (nowMs % DAY_MS) : nowMs - DAY_MS + 1;
  return uses[type].filter(({ atMs }) => atMs >= fromMs);
}

/** A daily limit of an agent and what is used of it, in millionths of a USD. */
export function dailyLimit(books: Books, agent: Agent, type: Spending) {
  let usedMicroUsd = 0n;
  for (const { microUsd } of counted(books, agent, type)) usedMicroUsd += microUsd;
  return { limitMicroUsd: books.limitsE6[LIMITS[type]], usedMicroUsd };
}

/** Why this additional amount cannot be used now; null if it can. Source: docs/reference/fidelity.md, Withdrawals and x402 payments. */
export function limitRefusal(
  books: Books,
  agent: Agent,
  { type, microUsd }: { type: Spending; microUsd: bigint },
): Refused | null {
  const { limitMicroUsd, usedMicroUsd } = dailyLimit(books, agent, type);
  if (usedMicroUsd + microUsd <= limitMicroUsd) return null;
  const { nowMs, modelConfig } = books;
  // The expiry of a use worth 0 releases nothing.
  const first = counted(books, agent, type).find((use) => use.microUsd > 0n);
  const isUtcDay = modelConfig.variants.dailyWindow === 'utc-day';
  const beginMs = isUtcDay ? nowMs - (nowMs % DAY_MS) : (first?.atMs ?? nowMs);
  return refused('daily_limit_exceeded', {
    limit_usd: usdNumber(limitMicroUsd),
    used_usd: usdNumber(usedMicroUsd),
    requested_usd: usdNumber(microUsd),
    resets_at: iso(beginMs + DAY_MS),
  });
}
