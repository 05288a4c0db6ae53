import type { Agent } from './agent.js';
import { iso, ratePpm, units } from './amounts.js';
import type { Books } from './books.js';
import { SOME_TEXT, WithOptional } from './checks.js';
import { type Tree, differenceOf } from './compare.js';
import * as credit from './credit.js';
import type { Difference } from './difference.js';
import {
  type GivenPoint,
  type GivenSource,
  type Kind,
  type Point,
  given,
  instantMs,
  isImpossible,
  series,
  seriesFile,
} from './feeds.js';
import { type Loan, loanById, loanId, outstandingBase } from './loan.js';
import { type GivenPolicy, durationMs, policyShown, reviewPolicy } from './review-policy.js';
import type { Answer, ControlCall, Expectation, ModelToken } from './types.js';

const DAY_MS = 86_400_000;
/** Rows of a page, and instants of a history, unless the query says otherwise. */
const LOANS = 100;
const INSTANTS = 1_000;

/** What becomes of a command: what its answer contains, once it has been carried out, or the code of a refusal. */
type Outcome = (() => Tree) | string;

/** The expected answer to a command of the control interface. */
class ExpectedControl implements Expectation {
  readonly status: number;
  readonly code: string | null;
  readonly #books: Books;
  readonly #body: () => Tree;

  constructor(books: Books, outcome: Outcome) {
    this.#books = books;
    this.code = typeof outcome === 'string' ? outcome : null;
    this.status = this.code === null ? 200 : this.code.endsWith('not_found') ? 404 : 400;
    const refusal = () => new WithOptional({ error: SOME_TEXT, code: this.code }, { requestId: SOME_TEXT });
    this.#body = typeof outcome === 'string' ? refusal : outcome;
  }

  judge(answer: Answer | null): Difference | null {
    if (answer === null) return null;
    if (answer.status === this.status) return differenceOf(this.#body(), answer.body, this.#books);
    return { kind: 'status', expected: { status: this.status, code: this.code }, actual: answer };
  }
}

type Members = Readonly<Record<string, unknown>>;

/** Carries out a command of an operator. Source: docs/control.md, Endpoints; its answers are those that the API reference describes. */
export function operate(books: Books, call: ControlCall): Expectation {
  return new ExpectedControl(books, outcomeOf(books, call));
}

function outcomeOf(books: Books, { command, id = '', body = {}, query = {} }: ControlCall): Outcome {
  switch (command) {
    case 'setApy':
      return setSource(books, 'apy', body);
    case 'setPrice':
      return setSource(books, 'usd', body);
    case 'loadSeries':
      return loadSeries(books, body);
    case 'setOutage':
      books.oracle.setOutage(body['out'] === true);
      return rates(books);
    case 'setStale':
      books.oracle.setStale(body['stale'] === true, books.nowMs);
      return rates(books);
    case 'oracleHistory':
      return history(books, query);
    case 'approve':
    case 'deny':
      return review(books, id, { isApproved: command === 'approve', reason: textOf(body['reason']) });
    case 'overdueLoan':
      return makeOverdue(books, id);
    case 'defaultLoan':
      return makeDefaulted(books, id);
    case 'cureLoan':
      return cure(books, id, body);
    case 'loans':
      return loans(books, query);
    case 'setReviewPolicy':
      books.reviewPolicy = reviewPolicy(body['policy'] as GivenPolicy);
      books.reviewSteps = 0;
      return () => policyShown(books.reviewPolicy, books.reviewSteps);
    case 'reviewPolicy':
      return () => policyShown(books.reviewPolicy, books.reviewSteps);
    case 'linkIdentity':
      return linkIdentity(books, body);
    case 'setBalance':
      return setBalance(books, body);
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function rates(books: Books): Outcome {
  return () => books.oracle.shown(books.nowMs);
}

/** When a change takes effect. */
function beginningMs(books: Books, body: Members): number {
  const delay = body['in'];
  return books.nowMs + (typeof delay === 'string' ? durationMs(delay) : 0);
}

function setSource(books: Books, kind: Kind, body: Members): Outcome {
  const source = body['source'] as GivenSource;
  if (isImpossible(source)) return 'invalid_request';
  const wantedMs = beginningMs(books, body);
  const points: readonly GivenPoint[] = typeof source === 'object' && 'series' in source ? source.series : [];
  const fromMs = Math.max(
    wantedMs,
    Math.min(...points.map(({ at }) => instantMs(at)), Number.POSITIVE_INFINITY),
  );
  const beginMs = points.length === 0 ? wantedMs : fromMs;
  const of = { kind, token: body['token'] as ModelToken };
  books.oracle.follow(of, given(kind, source, beginMs), { fromMs: beginMs, nowMs: books.nowMs });
  return rates(books);
}

function loadSeries(books: Books, body: Members): Outcome {
  const beginMs = beginningMs(books, body);
  const columns = seriesFile(String(body['csv'])).filter(({ points }) => points.length > 0);
  if (columns.length === 0) return 'invalid_request';
  for (const { kind, token, points } of columns) {
    const fromMs = Math.max(beginMs, Math.min(...points.map(({ atMs }) => atMs)));
    books.oracle.follow({ kind, token }, series(points), { fromMs, nowMs: books.nowMs });
  }
  return rates(books);
}

function history(books: Books, query: Readonly<Record<string, string>>): Outcome {
  const { startMs } = books.modelConfig;
  const fromMs = Math.max(startMs, query['from'] === undefined ? startMs : Date.parse(query['from']));
  const of = { kind: query['kind'] as Kind, token: query['token'] as ModelToken };
  if (fromMs > books.nowMs) return 'invalid_request';
  const most = Number(query['limit'] ?? INSTANTS);
  return () => books.oracle.history(of, { fromMs, toMs: books.nowMs }, most);
}

/** The points of a history as the world tells them. */
export function pointsOf(kind: Kind, answer: Answer): Point[] {
  const { changes } = answer.body as { changes: readonly { at: string; value: number }[] };
  const inUnits = (value: number) =>
    kind === 'apy' ? ratePpm(value) : BigInt(value.toFixed(8).replace('.', ''));
  return changes.map(({ at, value }) => ({ atMs: Date.parse(at), value: inUnits(value) }));
}

function loanOf(books: Books, id: string): { agent: Agent; loan: Loan } | null {
  for (const agent of books.agents.values()) {
    const loan = loanById(agent, id);
    if (loan !== null) return { agent, loan };
  }
  return null;
}

/** A loan as the operator sees it. */
function deskLoan(books: Books, loan: Loan): Tree {
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

/** The loan as it is then. */
function deskLoanLater(books: Books, { wallet, index }: Loan): Outcome {
  return () => deskLoan(books, books.agent(wallet).loans[index] as Loan);
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
  return deskLoanLater(books, found.loan);
}

function makeDefaulted(books: Books, id: string): Outcome {
  const found = loanOf(books, id);
  if (found === null) return 'loan_not_found';
  const { agent, loan } = found;
  if (loan.status !== 'active' && loan.status !== 'overdue') return 'loan_not_active';
  if (loan.status === 'active') credit.makeOverdue(books, agent, loan, books.nowMs);
  const now = agent.loans[loan.index] as Loan;
  if (now.status === 'overdue') credit.makeDefaulted(books, agent, now);
  return deskLoanLater(books, loan);
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
  return deskLoanLater(books, loan);
}

/** A page of the loans of a wallet, newest first. */
function loans(books: Books, query: Readonly<Record<string, string>>): Outcome {
  const { wallet = '', status } = query;
  return () => {
    const all = (books.agents.get(wallet)?.loans ?? []).toReversed();
    const wanted = all.filter((loan) => status === undefined || loan.status === status);
    const offset = Number(query['offset'] ?? 0);
    const page = wanted.slice(offset, offset + Number(query['limit'] ?? LOANS));
    return { loans: page.map((loan) => deskLoan(books, loan)), total: wanted.length };
  };
}

function linkIdentity(books: Books, body: Members): Outcome {
  const { wallet, x, github } = body as { wallet: string; x: boolean; github: boolean };
  books.open(wallet).links = { x, github };
  return () => ({ wallet, x, github });
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
