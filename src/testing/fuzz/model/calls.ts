import type { EndpointId } from '../../../contract/endpoints.js';
import * as account from './account.js';
import type { Agent, Books, Kept, Running } from './books.js';
import { DAY_MS } from './amounts.js';
import { SOME_TEXT } from './checks.js';
import { Check } from './compare.js';
import * as credit from './credit.js';
import { deposit, receive } from './deposits.js';
import { type Loan, loanById, loanTold, loansTold } from './loan.js';
import { paymentRequest } from './payment-requests.js';
import type { ApiCall, Steps, Trouble } from './types.js';
import { eligibility, profile } from './score.js';
import { challenge, signedIn, verify } from './sign-in.js';
import { pay, paymentUnderWay, withdraw } from './transfers.js';
import { type Verdict, done, refused } from './verdict.js';

const KEY_MAX = 255;
/** Maximum number of calls that overlap with another call. */
const MOST_BESIDE = 2;

interface AgentCall {
  readonly books: Books;
  readonly agent: Agent;
  readonly trouble: Trouble;
  readonly call: ApiCall;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** Steps of `{step, title, text}`, numbered from 1. The wording is the service's own. Source: docs/reference/fidelity.md, Requests and responses. */
const ONBOARD_STEPS = new Check((actual) => {
  const { steps } = (actual ?? {}) as { steps?: unknown };
  if (!Array.isArray(steps) || steps.length === 0) return 'an object with steps';
  const isGood = (steps as unknown[]).every((each, at) => {
    const { step, title, text } = (each ?? {}) as Readonly<Record<string, unknown>>;
    return step === at + 1 && isText(title) && isText(text);
  });
  return isGood ? null : 'steps of {step, title, text}, numbered from 1';
});

/** The verdict on a call. Updates the books as if the call had been made. */
export function* verdictOn(books: Books, call: ApiCall, trouble: Trouble): Steps<Verdict> {
  switch (call.operation) {
    case 'challenge':
      return books.forms.bodyRefusal(call) ?? challenge(books, call);
    case 'verify':
      return books.forms.bodyRefusal(call) ?? verify(books, call);
    case 'yieldRates':
      return account.yieldRates(books, trouble);
    case 'onboard':
      return done(ONBOARD_STEPS);
    default: {
      const wallet = signedIn(books, call.authorization);
      if (typeof wallet !== 'string') return wallet;
      const agent = books.agents.get(wallet);
      if (agent === undefined) return refused('invalid_token');
      return yield* ofAgent({ books, agent, trouble, call });
    }
  }
}

/** A customer's call. Checks path, body and key, then the rules of the operation. Source: docs/reference/fidelity.md, Errors. */
function* ofAgent(made: AgentCall): Steps<Verdict> {
  const { books, agent, call } = made;
  let loan: Loan | null = null;
  if (call.operation === 'loan' || call.operation === 'loanRepay') {
    const id = call.params['id'] ?? '';
    loan = loanById(agent, id);
    if (loan === null) return refused('loan_not_found', { loan_id: id });
  }
  const malformed = books.forms.bodyRefusal(call);
  if (malformed !== null) return malformed;
  if (call.key === null || !books.forms.hasBody(call.operation)) return yield* operation(made, loan);
  return yield* keyed(made, call.key, loan);
}

/** A call with an Idempotency-Key. Source: docs/reference/fidelity.md, Idempotency-Key. */
function* keyed(made: AgentCall, key: string, loan: Loan | null): Steps<Verdict> {
  const { books, agent, call } = made;
  if (key.length === 0 || key.length > KEY_MAX)
    return refused('invalid_request', { issues: [{ path: 'header.Idempotency-Key', message: SOME_TEXT }] });
  const place = `${agent.wallet}/${key}`;
  const text = books.forms.callText(call);
  const reused = refused('idempotency_key_reused', { idempotency_key: key });
  const before = books.kept.get(place);
  const isKnown = before !== undefined && isKept(before, books);
  if (isKnown) {
    if (before.call !== text) return reused;
    const response = keptResponse(before, books);
    if (response !== null) return response;
  }
  const other = books.running.get(place);
  if (other !== undefined) return other.call === text ? yield* awaited(other) : reused;
  const { idempotencyKeys: most } = books.modelConfig.callerLimits;
  if (!isKnown && keysInUse(books) >= most) return refused('idempotency_keys_full', { max_keys: most });
  const running: Running = { call: text, verdict: null };
  books.running.set(place, running);
  yield { kind: 'key', isScarce: keysInUse(books) + MOST_BESIDE >= most };
  const verdict = yield* operation(made, loan);
  running.verdict = verdict;
  books.running.delete(place);
  const kept = verdict.code === null ? { at: null, body: verdict.body } : verdict.underWay;
  if (kept !== undefined) {
    const stored = { atMs: books.nowMs, call: text, body: kept.body, underWay: kept.at };
    books.kept = books.kept.set(place, stored);
  }
  return verdict;
}

type Rule<T> = (books: Books, agent: Agent, call: ApiCall, trouble: Trouble) => T;

/** The rules of a customer's operations, except those on one loan. */
const RULES: Readonly<Partial<Record<EndpointId, Rule<Verdict>>>> = {
  profile,
  eligibility,
  account: account.overview,
  deposit,
  transactions: account.transactions,
  savingsDeposit: account.savingsDeposit,
  savingsWithdraw: account.savingsWithdraw,
  collateralBorrow: account.borrow,
  collateralRepay: account.repay,
  x402Receive: receive,
  loans: ({ nowMs }, { loans }) => done(loansTold(loans, nowMs)),
  loanApply: credit.apply,
};
/** The rules of operations that send money, between whose steps other calls may run. */
const SENDING: Readonly<Partial<Record<EndpointId, Rule<Steps<Verdict>>>>> = {
  withdraw,
  x402Pay: pay,
  x402Request: paymentRequest,
};

function* operation(made: AgentCall, loan: Loan | null): Steps<Verdict> {
  const { books, agent, trouble, call } = made;
  if (loan !== null)
    return call.operation === 'loan'
      ? done({ loan: loanTold(loan, books.nowMs) })
      : credit.repayLoan(made, loan);
  const steps = SENDING[call.operation]?.(books, agent, call, trouble);
  if (steps !== undefined) return yield* steps;
  const verdict = RULES[call.operation]?.(books, agent, call, trouble);
  if (verdict === undefined) throw new RangeError(`no rule for ${call.operation}`);
  return verdict;
}

function isKept({ atMs }: Kept, { nowMs }: Books): boolean {
  return nowMs - atMs < DAY_MS;
}

/** Number of stored keys and keys of calls in progress. */
function keysInUse(books: Books): number {
  return books.running.size + books.kept.count((kept) => isKept(kept, books));
}

/** Waits for a call in progress and returns its response. */
function* awaited(running: Running): Steps<Verdict> {
  for (;;) {
    if (running.verdict !== null) return running.verdict;
    yield { kind: 'repeat', isOver: () => running.verdict !== null };
  }
}

/** The response to a repeated call; null for a payment that failed after its response, which is made again. */
function keptResponse({ body, underWay }: Kept, books: Books): Verdict | null {
  if (underWay === null) return done(body);
  const { status } = books.record(underWay);
  if (status === 'failed') return null;
  return status === 'pending' ? paymentUnderWay(underWay) : done(body);
}
