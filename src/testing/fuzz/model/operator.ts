import type { Agent, Books } from './books.js';
import { DAY_MS, amountBase, iso, millionths, priceE8, units } from './amounts.js';
import { SIGNATURE_FORM, loanId } from './checks.js';
import type { Tree } from './compare.js';
import * as credit from './credit.js';
import { durationMs } from './duration.js';
import { type Outcome, expectedControl } from './verdict.js';
import { type Loan, isOpen, loanById, outstandingBase, reviewPolicy } from './loan.js';
import type { Kind } from './oracle.js';
import type { ControlCall, Expectation, ModelToken } from './types.js';

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

/** The balances of an address now, as responses show them. */
function balances({ chain }: Books, address: string): Tree {
  const { USDC, SOL } = chain.of(address);
  return { USDC: units('USDC', USDC), SOL: units('SOL', SOL) };
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

/** A command on the loan with this id, which must be in a fitting state. */
function onLoan(
  books: Books,
  { id, fits }: { id: string; fits: (loan: Loan) => boolean },
  act: (agent: Agent, loan: Loan) => Outcome,
): Outcome {
  const agent = [...books.agents.values()].find((each) => loanById(each, id) !== null);
  const loan = agent === undefined ? null : loanById(agent, id);
  if (agent === undefined || loan === null) return 'loan_not_found';
  return fits(loan) ? act(agent, loan) : 'loan_not_active';
}

/** The loan as it is when the response is compared. */
function operatorLoanLater(books: Books, { loans }: Agent, { index }: Loan): () => Tree {
  return () => operatorLoan(books, loans[index] as Loan);
}

function review(books: Books, id: string, how: credit.Review): Outcome {
  return onLoan(books, { id, fits: ({ status }) => status === 'pending_review' }, (agent, loan) => {
    credit.decide(books, agent, loan, how);
    return () => ({ loanId: id, decision: how.isApproved ? 'approved' : 'denied' });
  });
}

function makeOverdue(books: Books, id: string): Outcome {
  return onLoan(books, { id, fits: ({ status }) => status === 'active' }, (agent, loan) => {
    credit.makeOverdue(books, agent, loan, books.nowMs);
    return operatorLoanLater(books, agent, loan);
  });
}

function makeDefaulted(books: Books, id: string): Outcome {
  const fits = ({ status }: Loan) => status === 'active' || status === 'overdue';
  return onLoan(books, { id, fits }, (agent, loan) => {
    if (loan.status === 'active') credit.makeOverdue(books, agent, loan, books.nowMs);
    credit.makeDefaulted(books, agent, agent.loans[loan.index] as Loan);
    return operatorLoanLater(books, agent, loan);
  });
}

function cure(books: Books, id: string, { dueIn, dueDate, forgive }: Members): Outcome {
  const fits = ({ status }: Loan) => status === 'overdue' || status === 'defaulted';
  return onLoan(books, { id, fits }, (agent, loan) => {
    const termMs = typeof dueIn === 'string' ? durationMs(dueIn) : loan.durationDays * DAY_MS;
    const dueAtMs = typeof dueDate === 'string' ? Date.parse(dueDate) : books.nowMs + termMs;
    if (dueAtMs <= books.nowMs) return 'invalid_request';
    credit.cure(books, agent, loan, { forgive: forgive === true, dueAtMs });
    return operatorLoanLater(books, agent, loan);
  });
}

function linkIdentity(books: Books, body: Members): Outcome {
  const { wallet, x, github } = body as { wallet: string; x: boolean; github: boolean };
  books.open(wallet).links = { x, github };
  return () => ({ wallet, x, github });
}

/** Money for an address by a transaction, which was reported to the model. SOL must cover the rent minimum. */
function faucet(books: Books, { address, amount, token }: Members): Outcome {
  const to = address as string;
  const { chain } = books;
  const isLittle = token === 'SOL' && !chain.canReceive(to, BigInt(Math.round((amount as number) * 1e9)));
  if (isLittle) return 'transaction_failed';
  return () => ({ signature: SIGNATURE_FORM, balances: balances(books, to) });
}

/** A repayment from outside, by a transaction that was reported to the model. */
function payLoan(
  books: Books,
  id: string,
  { amount, signature = null }: { amount: unknown; signature: string | null | undefined },
): Outcome {
  const base = amountBase(amount, 'USDC');
  return onLoan(books, { id, fits: (loan) => base === null || isOpen(loan) }, (agent, loan) => {
    if (base === null) return 'invalid_amount';
    const takenBase = credit.repayFromOutside({ books, agent }, loan, { base, signature });
    const told = operatorLoanLater(books, agent, loan);
    return () => ({ loan: told(), paid: units('USDC', takenBase), signature });
  });
}

function setBalance(books: Books, body: Members): Outcome {
  const { address, amount, token } = body as { address: string; amount: number; token: ModelToken };
  const { agents, chain, modelConfig } = books;
  const collections = [...agents.keys()].map((wallet) => modelConfig.collectionOf(wallet));
  if ([modelConfig.treasury, ...collections].includes(address)) return 'invalid_request';
  chain.written(address, token, BigInt(Math.round(amount * (token === 'SOL' ? 1e9 : 1e6))));
  const told = { balances: balances(books, address) };
  return () => told;
}
