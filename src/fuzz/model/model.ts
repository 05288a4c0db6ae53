import * as account from './account.js';
import type { Agent } from './agent.js';
import { Books } from './books.js';
import { SOME_TEXT } from './checks.js';
import { type Tree, compare } from './compare.js';
import * as credit from './credit.js';
import { deposit, receive } from './deposits.js';
import { Forms } from './forms.js';
import { type Loan, outstandingBase } from './loan.js';
import { isRefused } from './money-rules.js';
import { OnboardSteps } from './onboard.js';
import { paymentRequest } from './payment-requests.js';
import type {
  Answer,
  ApiCall,
  BaseAmounts,
  Expectation,
  ModelToken,
  SeenTransaction,
  ServiceModel,
  Setting,
  Standing,
  Trouble,
} from './ports.js';
import { earned } from './savings.js';
import { eligibility, profile } from './score.js';
import { challenge, signedIn, verify } from './sign-in.js';
import { carryOutQueued, pay, withdraw } from './transfers.js';
import { type Refused, type Verdict, done, refused, statusOf } from './verdict.js';

const DAY_MS = 86_400_000;
const KEY_MAX = 255;
const NOTHING: BaseAmounts = { USDC: 0n, SOL: 0n };

/** What the answer to one call should be. */
class Expected implements Expectation {
  readonly status: number;
  readonly code: string | null;
  readonly #body: Tree;
  readonly #books: Books;

  constructor(books: Books, verdict: Verdict) {
    this.#books = books;
    this.code = verdict.code;
    if (verdict.code === null) {
      this.status = 200;
      this.#body = verdict.body;
      return;
    }
    const switched = books.setting.variants.errorStatus as Readonly<Record<string, number | undefined>>;
    this.status = switched[verdict.code] ?? statusOf(verdict.code);
    this.#body = { error: SOME_TEXT, code: verdict.code, details: verdict.details, requestId: SOME_TEXT };
  }

  judge(answer: Answer | null): string | null {
    if (answer === null) return null;
    if (answer.status === this.status) return compare(this.#body, answer.body, this.#books);
    const wanted = `${this.status}${this.code === null ? '' : ` ${this.code}`}`;
    return `status: expected ${wanted}, got ${answer.status} ${JSON.stringify(answer.body)?.slice(0, 400)}`;
  }
}

/**
 * The service's rules, stated once more from its documents alone: docs/fidelity.md, docs/faults.md and the published schemas. It
 * shares no code with the bank, so that a mistake in one is seen against the other.
 */
export class Model implements ServiceModel {
  readonly #books: Books;
  readonly #forms: Forms;

  constructor(setting: Setting, from: { books: Books; forms: Forms } | null = null) {
    this.#books = from?.books ?? new Books(setting);
    this.#forms = from?.forms ?? new Forms(setting.variants);
  }

  get nowMs(): number {
    return this.#books.nowMs;
  }

  copy(): Model {
    return new Model(this.#books.setting, { books: this.#books.copy(), forms: this.#forms });
  }

  expect(call: ApiCall, trouble: Trouble): Expectation {
    this.#runDue(this.#books.nowMs);
    return new Expected(this.#books, this.#verdict(call, trouble));
  }

  advance(toMs: number): void {
    this.#runDue(toMs);
    this.#books.nowMs = toMs;
  }

  sent(transaction: SeenTransaction): void {
    const { transactions, funded } = this.#books;
    transactions.set(transaction.signature, { kind: 'outside', seen: transaction });
    if (transaction.hasFailed) return;
    for (const { to, token } of transaction.transfers) if (token === 'SOL') funded.set(to, true);
  }

  setApy(token: ModelToken, apy: number): void {
    this.#books.oracle.setApy(token, apy, this.#books.nowMs);
  }

  setPrice(token: ModelToken, usd: number): void {
    this.#books.oracle.setPrice(token, usd, this.#books.nowMs);
  }

  setOutage(isOut: boolean): void {
    this.#books.oracle.setOutage(isOut);
  }

  setStale(isStale: boolean): void {
    this.#books.oracle.setStale(isStale, this.#books.nowMs);
  }

  approve(loanId: string): boolean {
    return this.#review(loanId, true);
  }

  deny(loanId: string): boolean {
    return this.#review(loanId, false);
  }

  makeOverdue(loanId: string): boolean {
    const found = this.#loan(loanId);
    if (found?.loan.status !== 'active') return false;
    credit.makeOverdue(this.#books, found.agent, found.loan, this.nowMs);
    return true;
  }

  makeDefaulted(loanId: string): boolean {
    const found = this.#loan(loanId);
    if (found === null) return false;
    const { agent, loan } = found;
    if (loan.status === 'active') credit.makeOverdue(this.#books, agent, loan, this.nowMs);
    const now = agent.loans[loan.index];
    if (now?.status !== 'overdue') return false;
    credit.makeDefaulted(agent, now);
    return true;
  }

  cure(loanId: string, { forgive }: { forgive: boolean }): boolean {
    const found = this.#loan(loanId);
    if (found?.loan.status !== 'overdue' && found?.loan.status !== 'defaulted') return false;
    credit.cure(this.#books, found.agent, found.loan, forgive);
    return true;
  }

  linkIdentity(wallet: string, { x, github }: { x: boolean; github: boolean }): void {
    this.#books.open(wallet).links = { x, github };
  }

  standing(wallet: string): Standing {
    const books = this.#books;
    const agent = books.agents.get(wallet);
    if (agent === undefined) return NOBODY;
    const { savings, checking, loans } = agent;
    const { limitBase, debtBase, leftBase } = account.collateralOf(agent, books.nowMs);
    const yielded = (token: ModelToken) => earned(savings[token], books.index(token)).base;
    return {
      isCustomer: true,
      checking: { ...checking },
      savings: { USDC: savings.USDC.principalBase, SOL: savings.SOL.principalBase },
      earned: { USDC: yielded('USDC'), SOL: yielded('SOL') },
      collateralLimitBase: limitBase,
      collateralDebtBase: debtBase,
      availableToBorrowBase: leftBase,
      unlockedSavingsBase: account.unlockedBase(agent, 'USDC', books.nowMs),
      withdrawnMicroUsd: agent.withdrawals.usedMicroUsd(books.nowMs),
      paidMicroUsd: agent.payments.usedMicroUsd(books.nowMs),
      loans: loans.map((loan) => ({
        id: loan.id,
        status: loan.status,
        outstandingBase: outstandingBase(loan, books.nowMs),
      })),
    };
  }

  sentByBank(): ReadonlyMap<string, BaseAmounts> {
    return this.#books.sent;
  }

  #review(loanId: string, isApproved: boolean): boolean {
    const found = this.#loan(loanId);
    if (found?.loan.status !== 'pending_review') return false;
    credit.decide(this.#books, found.agent, found.loan, isApproved);
    return true;
  }

  #loan(loanId: string): { agent: Agent; loan: Loan } | null {
    for (const agent of this.#books.agents.values()) {
      const loan = loanOf(agent, loanId);
      if (loan !== null) return { agent, loan };
    }
    return null;
  }

  /** What falls due up to an instant, in order. */
  #runDue(untilMs: number): void {
    const books = this.#books;
    for (let event = books.schedule.take(untilMs); event !== null; event = books.schedule.take(untilMs)) {
      books.nowMs = Math.max(books.nowMs, event.atMs);
      const { what } = event;
      switch (what.kind) {
        case 'withdrawal':
          carryOutQueued(books, what.wallet, what.record);
          break;
        case 'review':
          credit.reviewDue(books, what.wallet, what.loan);
          break;
        case 'due':
          credit.loanDue(books, what.wallet, what.loan);
          break;
        case 'default':
          credit.loanDefaults(books, what.wallet, what.loan);
          break;
      }
    }
  }

  #verdict(call: ApiCall, trouble: Trouble): Verdict {
    const books = this.#books;
    switch (call.operation) {
      case 'challenge':
        return this.#forms.bodyRefusal(call) ?? challenge(books, call);
      case 'verify':
        return this.#forms.bodyRefusal(call) ?? verify(books, call);
      case 'yieldRates':
        return account.yieldRates(books, trouble);
      case 'onboard':
        return done(new OnboardSteps());
      default: {
        const wallet = signedIn(books, call.authorization);
        if (typeof wallet !== 'string') return wallet;
        const agent = books.agents.get(wallet);
        return agent === undefined ? refused('invalid_token') : this.#ofAgent(agent, call, trouble);
      }
    }
  }

  /** A call of a customer: path, body, key, then the rules of the operation. Source: docs/fidelity.md, Errors. */
  #ofAgent(agent: Agent, call: ApiCall, trouble: Trouble): Verdict {
    let loan: Loan | null = null;
    if (call.operation === 'loan' || call.operation === 'loanRepay') {
      const id = call.params['id'] ?? '';
      loan = loanOf(agent, id);
      if (loan === null) return refused('loan_not_found', { loan_id: id });
    }
    const malformed = this.#forms.bodyRefusal(call);
    if (malformed !== null) return malformed;
    const { key } = call;
    const isPost = this.#forms.endpoint(call.operation).method === 'POST';
    if (key === null || !isPost) return this.#operation(agent, loan, call, trouble);
    return this.#keyed(agent, key, call, () => this.#operation(agent, loan, call, trouble));
  }

  /** A call with an Idempotency-Key. Source: docs/fidelity.md, Idempotency-Key. */
  #keyed(agent: Agent, key: string, call: ApiCall, run: () => Verdict): Verdict {
    if (key.length === 0 || key.length > KEY_MAX) return badKey();
    const books = this.#books;
    const place = `${agent.wallet}/${key}`;
    const text = this.#forms.callText(call);
    const before = books.kept.get(place);
    if (before !== undefined && books.nowMs - before.atMs < DAY_MS)
      return before.call === text
        ? done(before.body)
        : refused('idempotency_key_reused', { idempotency_key: key });
    const verdict = run();
    if (verdict.code === null) books.kept.set(place, { atMs: books.nowMs, call: text, body: verdict.body });
    return verdict;
  }

  #operation(agent: Agent, loan: Loan | null, call: ApiCall, trouble: Trouble): Verdict {
    const books = this.#books;
    switch (call.operation) {
      case 'profile':
        return profile(books, agent);
      case 'eligibility': {
        const parsed = this.#forms.query(call);
        if (isRefused(parsed)) return parsed;
        return eligibility(books, agent, parsed.values['amount'] as number | undefined);
      }
      case 'account':
        return account.overview(books, agent);
      case 'deposit':
        return deposit(books, agent, call);
      case 'withdraw':
        return withdraw(books, agent, call, trouble);
      case 'transactions':
        return account.transactions(this.#forms, agent, call);
      case 'savingsDeposit':
        return account.savingsDeposit(books, agent, call);
      case 'savingsWithdraw':
        return account.savingsWithdraw(books, agent, call);
      case 'collateralBorrow':
        return account.borrow(books, agent, call);
      case 'collateralRepay':
        return account.repay(books, agent, call);
      case 'x402Pay':
        return pay(books, agent, call, trouble);
      case 'x402Receive':
        return receive(books, agent, call);
      case 'x402Request':
        return paymentRequest(books, this.#forms, agent, call);
      case 'loans':
        return credit.listLoans(books, agent);
      case 'loanApply':
        return credit.apply(books, agent, call);
      default:
        return this.#ofLoan(agent, loan, call);
    }
  }

  #ofLoan(agent: Agent, loan: Loan | null, call: ApiCall): Verdict {
    if (loan === null) throw new RangeError(`no rule for ${call.operation}`);
    return call.operation === 'loan'
      ? credit.oneLoan(this.#books, loan)
      : credit.repayLoan(this.#books, agent, loan, call);
  }
}

const NOBODY: Standing = {
  isCustomer: false,
  checking: NOTHING,
  savings: NOTHING,
  earned: NOTHING,
  collateralLimitBase: 0n,
  collateralDebtBase: 0n,
  availableToBorrowBase: 0n,
  unlockedSavingsBase: 0n,
  withdrawnMicroUsd: 0n,
  paidMicroUsd: 0n,
  loans: [],
};

function badKey(): Refused {
  return refused('invalid_request', { issues: [{ path: 'header.Idempotency-Key', message: SOME_TEXT }] });
}

function loanOf(agent: Agent, id: string): Loan | null {
  for (let at = agent.loans.length - 1; at >= 0; at -= 1) {
    const loan = agent.loans[at];
    if (loan?.id === id) return loan;
  }
  return null;
}
