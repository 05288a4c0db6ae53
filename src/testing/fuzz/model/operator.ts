import type { Agent } from './agent.js';
import { amountBase, iso, ratePpm, units } from './amounts.js';
import type { Books } from './books.js';
import { SOME_TEXT, TextOf, WithOptional } from './checks.js';
import { Check, type Memory, type Tree, differenceOf } from './compare.js';
import * as credit from './credit.js';
import type { BodyDifference, Difference } from './difference.js';
import { runDue } from './due.js';
import {
  type GivenPoint,
  type GivenSource,
  type Kind,
  type Point,
  SERIES_VALUES,
  type SeriesColumn,
  given,
  instantMs,
  isImpossible,
  series,
  seriesByColumn,
  seriesFile,
} from './feeds.js';
import { lookUpTransfers, slotOf } from './in-flight.js';
import { type Loan, isOpen, loanById, loanId, outstandingBase } from './loan.js';
import { SignatureForm } from './receipts.js';
import { type GivenPolicy, durationMs, policyShown, reviewPolicy } from './review-policy.js';
import type { Answer, ControlCall, Expectation, ModelToken, Span } from './types.js';

const DAY_MS = 86_400_000;
/** Rows of a page, and instants of a history, unless the query says otherwise. */
const LOANS = 100;
const INSTANTS = 1_000;

/** A refusal whose text names something. */
interface Named {
  readonly code: string;
  readonly error: Tree;
}

/** What becomes of a command: what its answer contains, once it has been carried out, or a refusal, mostly by its code alone. */
type Outcome = (() => Tree) | string | Named;

/** The expected answer to a command of the control interface. */
class ExpectedControl implements Expectation {
  readonly status: number;
  readonly code: string | null;
  readonly #books: Books;
  readonly #body: () => Tree;

  constructor(books: Books, outcome: Outcome) {
    this.#books = books;
    if (typeof outcome === 'function') {
      [this.code, this.status, this.#body] = [null, 200, outcome];
      return;
    }
    const { code, error } = typeof outcome === 'string' ? { code: outcome, error: SOME_TEXT } : outcome;
    this.code = code;
    this.status = code.endsWith('not_found') ? 404 : 400;
    this.#body = () => new WithOptional({ error, code }, { requestId: SOME_TEXT });
  }

  judge(answer: Answer | null): Difference | null {
    if (answer === null) return null;
    if (answer.status === this.status) return differenceOf(this.#body(), answer.body, this.#books);
    return { kind: 'status', expected: { status: this.status, code: this.code }, actual: answer };
  }
}

/** Events that the answer to an advance lists. Source: docs/control.md, Endpoints. */
const MOST_LISTED = 10_000;

interface Listed {
  readonly at: string;
  readonly kind: string;
}

/**
 * What became due. How often savings are settled at one instant depends on the turns of calls that overlapped, which no answer tells:
 * more than once counts as once.
 */
class FiredList extends Check {
  readonly #fired: readonly (Listed & { readonly subject?: Tree })[];

  constructor(fired: readonly (Listed & { readonly subject?: Tree })[]) {
    super();
    this.#fired = fired;
  }

  see(actual: unknown, memory: Memory): string | BodyDifference | null {
    if (!Array.isArray(actual)) return 'a list of events';
    return differenceOf(onceSettled(this.#fired) as unknown as Tree, onceSettled(actual as Listed[]), memory);
  }
}

function onceSettled<T extends Listed>(fired: readonly T[]): T[] {
  return fired.filter(({ at, kind }, place) => {
    const before = fired[place - 1];
    return kind !== 'savings.settled' || before?.kind !== kind || before.at !== at;
  });
}

/** Moves the clock. Returns the expected answer to the operator who did it. */
export function advance(books: Books, toMs: number): Expectation {
  const fired = runDue(books, toMs);
  books.nowMs = toMs;
  lookUpTransfers(books);
  const listed = fired.slice(0, MOST_LISTED);
  const omitted = fired.length - listed.length;
  return new ExpectedControl(books, () => ({
    now: iso(toMs),
    mode: 'frozen',
    factor: 0,
    slot: slotOf(books),
    reached: true,
    fired: new FiredList(
      listed.map(({ atMs, kind, subject }) => ({
        at: iso(atMs),
        kind,
        ...(subject === null ? {} : { subject }),
      })),
    ),
    ...(omitted === 0 ? {} : { omitted }),
  }));
}

type Members = Readonly<Record<string, unknown>>;

/** Carries out a command of an operator. Source: docs/control.md, Endpoints; its answers are those that the API reference describes. */
export function operate(books: Books, call: ControlCall): Expectation {
  return new ExpectedControl(books, outcomeOf(books, call));
}

function outcomeOf(books: Books, call: ControlCall): Outcome {
  const { command, id = '', body = {}, query = {}, signature } = call;
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
    case 'oracleHistoryCsv':
      return historyCsv(books, query);
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
    case 'faucet':
      return faucet(books, body);
    case 'payLoan':
      return payLoan(books, id, { amount: body['amount'], signature });
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function rates(books: Books): Outcome {
  return () => books.oracle.shown(books.nowMs);
}

/** When a change takes effect; null for an instant that has passed. */
function beginningMs({ nowMs }: Books, { in: delay, from }: Members): number | null {
  if (typeof from !== 'string') return nowMs + (typeof delay === 'string' ? durationMs(delay) : 0);
  const fromMs = Date.parse(from);
  return fromMs < nowMs ? null : fromMs;
}

function setSource(books: Books, kind: Kind, body: Members): Outcome {
  const source = body['source'] as GivenSource;
  const wantedMs = beginningMs(books, body);
  if (isImpossible(source) || wantedMs === null) return 'invalid_request';
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
  const given =
    'csv' in body
      ? seriesFile(String(body['csv']))
      : { columns: seriesByColumn(body['series'] as Record<string, GivenPoint[]>) };
  if (beginMs === null) return 'invalid_request';
  if ('wrong' in given) return { code: 'invalid_request', error: new TextOf(given.wrong) };
  const columns = given.columns.filter(({ points }) => points.length > 0);
  if (columns.length === 0) return 'invalid_request';
  for (const { kind, token, points } of columns) {
    const fromMs = Math.max(beginMs, Math.min(...points.map(({ atMs }) => atMs)));
    books.oracle.follow({ kind, token }, series(points), { fromMs, nowMs: books.nowMs });
  }
  return rates(books);
}

type Query = Readonly<Record<string, string>>;

/** The span of a history, within that of the world; null when it has none there. */
function spanOf({ nowMs, modelConfig: { startMs } }: Books, { from, to }: Query): Span | null {
  const fromMs = Math.max(startMs, from === undefined ? startMs : Date.parse(from));
  const toMs = Math.min(nowMs, to === undefined ? nowMs : Date.parse(to));
  return fromMs > toMs ? null : { fromMs, toMs };
}

function history(books: Books, query: Query): Outcome {
  const of = { kind: query['kind'] as Kind, token: query['token'] as ModelToken };
  const span = spanOf(books, query);
  if (span === null) return 'invalid_request';
  return () => books.oracle.history(of, span, Number(query['limit'] ?? INSTANTS));
}

/** A series file that has certain points, and no others. */
class SeriesText extends Check {
  readonly #columns: readonly SeriesColumn[];

  constructor(columns: readonly SeriesColumn[]) {
    super();
    this.#columns = columns.filter(({ points }) => points.length > 0);
  }

  see(actual: unknown): string | null {
    const textOf = (series: ReturnType<typeof seriesFile>) =>
      JSON.stringify(series, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    const wanted = textOf({ columns: this.#columns });
    return typeof actual === 'string' && textOf(seriesFile(actual)) === wanted
      ? null
      : `a series file with ${wanted}`;
  }
}

/** Histories as a series file: all until the first that does not fit into its page. */
function historyCsv(books: Books, query: Query): Outcome {
  const span = spanOf(books, query);
  if (span === null) return 'invalid_request';
  const { kind, token } = query;
  const wanted = SERIES_VALUES.filter(
    (of) => of.kind === (kind ?? of.kind) && of.token === (token ?? of.token),
  );
  return () => {
    const pages = wanted.map((of) => ({
      ...of,
      ...books.oracle.changes(of, span, Number(query['limit'] ?? INSTANTS)),
    }));
    const nextMs = Math.min(...pages.map((page) => page.nextMs ?? Number.POSITIVE_INFINITY));
    const columns = pages.map(({ points, ...of }) => ({
      kind: of.kind,
      token: of.token,
      points: points.filter(({ atMs }) => atMs < nextMs),
    }));
    return { csv: new SeriesText(columns), next: Number.isFinite(nextMs) ? iso(nextMs) : null };
  };
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
function loans(books: Books, query: Query): Outcome {
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

/** Money for an address by a transaction, which the model is told of as of any other. SOL must be enough for the rent minimum. */
function faucet(books: Books, { address, amount, token, network }: Members): Outcome {
  const to = address as string;
  const { chain } = books;
  const isLittle =
    token === 'SOL' && chain.lackedBy(to, 'SOL', BigInt(Math.round((amount as number) * 1e9))) !== null;
  if (isLittle && network === undefined) return 'transaction_failed';
  return () => {
    const { USDC, SOL } = chain.of(to);
    return {
      signature: new SignatureForm(),
      balances: { USDC: units('USDC', USDC), SOL: units('SOL', SOL) },
    };
  };
}

/** A repayment from outside, by a transaction that the model was told of before. */
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
  const loan = deskLoanLater(books, found.loan);
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
