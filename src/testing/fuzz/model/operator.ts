import type { Agent } from './agent.js';
import { amountBase, iso, millionths, priceE8, units } from './amounts.js';
import type { Books } from './books.js';
import { SIGNATURE_FORM, loanId } from './checks.js';
import type { Tree } from './compare.js';
import * as credit from './credit.js';
import { durationMs } from './duration.js';
import { type Outcome, expectedControl } from './expected.js';
import { type Loan, isOpen, loanById, outstandingBase } from './loan.js';
import type { Kind } from './oracle.js';
import { reviewPolicy } from './review-policy.js';
import type { ControlCall, Expectation, ModelToken } from './types.js';

const DAY_MS = 86_400_000;

type Members = Readonly<Record<string, unknown>>;

/** Carries out an operator's command. Sources: docs/reference/control.md, Endpoints, and the API reference for responses. */
export function operate(books: Books, call: ControlCall): Expectation {
  return expectedControl(books, outcomeOf(books, call));
}

function outcomeOf(books: Books, call: ControlCall): Outcome {
  const { command, id = '', body = {}, signature } = call;
  switch (command) {
    case 'setApy':
      return setSource(books, 'apy', body);
    case 'setPrice':
      return setSource(books, 'usd', body);
    case 'setOutage':
      books.oracle.isOutage = body['out'] === true;
      return rates(books);
    case 'setStale':
      books.oracle.setStale(body['stale'] === true, books.nowMs);
      return rates(books);
    case 'approve':
    case 'deny':
      return review(books, id, { isApproved: command === 'approve', reason: textOf(body['reason']) });
    case 'overdueLoan':
      return makeOverdue(books, id);
    case 'defaultLoan':
      return makeDefaulted(books, id);
    case 'cureLoan':
      return cure(books, id, body);
    case 'setReviewPolicy':
      books.reviewPolicy = reviewPolicy(body['policy']);
      return () => ({ policy: books.reviewPolicy });
    case 'reviewPolicy':
      return () => ({ policy: books.reviewPolicy });
    case 'linkIdentity':
      return linkIdentity(books, body);
    case 'setBalance':
      return setBalance(books, body);
    case 'faucet':
      return faucet(books, body);
    case 'payLoan':
      return payLoan(books, id, { amount: body['amount'], signature });
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Rates and prices as the operator sees them. */
function rates({ oracle, nowMs }: Books): Outcome {
  return () => oracle.shown(nowMs);
}

/** When a change takes effect; null for an instant that has passed. */
function beginningMs({ nowMs }: Books, { in: delay, from }: Members): number | null {
  if (typeof from !== 'string') return nowMs + (typeof delay === 'string' ? durationMs(delay) : 0);
  const fromMs = Date.parse(from);
  return fromMs < nowMs ? null : fromMs;
}

function setSource(books: Books, kind: Kind, body: Members): Outcome {
  const source = body['source'] as number | string;
  const fromMs = beginningMs(books, body);
  if (fromMs === null) return 'invalid_request';
  // A rate is a number or a percentage as text.
  const rate = typeof source === 'string' ? Number(source.replace('%', '')) / 100 : source;
  const value = kind === 'apy' ? millionths(rate) : priceE8(rate);
  const of = { kind, token: body['token'] as ModelToken };
  books.oracle.follow(of, value, { fromMs, nowMs: books.nowMs });
  return rates(books);
}

function loanOf(books: Books, id: string): { agent: Agent; loan: Loan } | null {
  for (const agent of books.agents.values()) {
    const loan = loanById(agent, id);
    if (loan !== null) return { agent, loan };
  }
  return null;
}

function operatorLoan(books: Books, loan: Loan): Tree {
  return {
    loanId: loanId(loan),
    wallet: loan.wallet,
    amount: units('USDC', loan.amountBase),
    purpose: loan.purpose,
    durationDays: loan.durationDays,
    createdAt: iso(loan.createdAtMs),
    status: loan.status,
    apr: units('USDC', loan.aprPpm),
    outstanding: units('USDC', outstandingBase(loan, books.nowMs)),
    dueDate: loan.dueAtMs === null ? null : iso(loan.dueAtMs),
    reason: loan.reason,
    record: loan.missed === 'nothing' ? 'clean' : loan.missed === 'due' ? 'overdue' : 'defaulted',
  };
}

function operatorLoanLater(books: Books, { wallet, index }: Loan): Outcome {
  return () => operatorLoan(books, books.agent(wallet).loans[index] as Loan);
}

function review(books: Books, id: string, how: credit.Review): Outcome {
  const found = loanOf(books, id);
  if (found === null) return 'loan_not_found';
  if (found.loan.status !== 'pending_review') return 'loan_not_active';
  credit.decide(books, found.agent, found.loan, how);
  return () => ({ loanId: id, decision: how.isApproved ? 'approved' : 'denied' });
}

function makeOverdue(books: Books, id: string): Outcome {
  const found = loanOf(books, id);
  if (found === null) return 'loan_not_found';
  if (found.loan.status !== 'active') return 'loan_not_active';
  credit.makeOverdue(books, found.agent, found.loan, books.nowMs);
  return operatorLoanLater(books, found.loan);
}

function makeDefaulted(books: Books, id: string): Outcome {
  const found = loanOf(books, id);
  if (found === null) return 'loan_not_found';
  const { agent, loan } = found;
  if (loan.status !== 'active' && loan.status !== 'overdue') return 'loan_not_active';
  if (loan.status === 'active') credit.makeOverdue(books, agent, loan, books.nowMs);
  const now = agent.loans[loan.index] as Loan;
  if (now.status === 'overdue') credit.makeDefaulted(books, agent, now);
  return operatorLoanLater(books, loan);
}

function cure(books: Books, id: string, body: Members): Outcome {
  const found = loanOf(books, id);
  if (found === null) return 'loan_not_found';
  const { agent, loan } = found;
  if (loan.status !== 'overdue' && loan.status !== 'defaulted') return 'loan_not_active';
  const { dueIn, dueDate, forgive } = body;
  const ownMs = books.nowMs + loan.durationDays * DAY_MS;
  const laterMs = typeof dueIn === 'string' ? books.nowMs + durationMs(dueIn) : ownMs;
  const dueAtMs = typeof dueDate === 'string' ? Date.parse(dueDate) : laterMs;
  if (dueAtMs <= books.nowMs) return 'invalid_request';
  credit.cure(books, agent, loan, { forgive: forgive === true, dueAtMs });
  return operatorLoanLater(books, loan);
}

function linkIdentity(books: Books, body: Members): Outcome {
  const { wallet, x, github } = body as { wallet: string; x: boolean; github: boolean };
  books.open(wallet).links = { x, github };
  return () => ({ wallet, x, github });
}

/** Money for an address by a transaction, which was reported to the model. SOL must cover the rent minimum. */
function faucet(books: Books, { address, amount, token, network }: Members): Outcome {
  const to = address as string;
  const { chain } = books;
  const isLittle = token === 'SOL' && !chain.canReceive(to, BigInt(Math.round((amount as number) * 1e9)));
  if (isLittle && network === undefined) return 'transaction_failed';
  return () => {
    const { USDC, SOL } = chain.of(to);
    return {
      signature: SIGNATURE_FORM,
      balances: { USDC: units('USDC', USDC), SOL: units('SOL', SOL) },
    };
  };
}

/** A repayment from outside, by a transaction that was reported to the model. */
function payLoan(
  books: Books,
  id: string,
  { amount, signature = null }: { amount: unknown; signature: string | null | undefined },
): Outcome {
  const found = loanOf(books, id);
  if (found === null) return 'loan_not_found';
  const base = amountBase(amount, 'USDC');
  if (base === null) return 'invalid_amount';
  if (!isOpen(found.loan)) return 'loan_not_active';
  const takenBase = credit.repayFromOutside({ books, agent: found.agent }, found.loan, { base, signature });
  const loan = operatorLoanLater(books, found.loan);
  return () => ({
    loan: typeof loan === 'function' ? loan() : null,
    paid: units('USDC', takenBase),
    signature,
  });
}

function setBalance(books: Books, body: Members): Outcome {
  const { address, amount, token } = body as { address: string; amount: number; token: ModelToken };
  const { agents, chain, modelConfig } = books;
  const collections = [...agents.keys()].map((wallet) => modelConfig.collectionOf(wallet));
  if ([modelConfig.treasury, ...collections].includes(address)) return 'invalid_request';
  chain.written(address, token, BigInt(Math.round(amount * (token === 'SOL' ? 1e9 : 1e6))));
  const { USDC, SOL } = chain.of(address);
  return () => ({ balances: { USDC: units('USDC', USDC), SOL: units('SOL', SOL) } });
}
