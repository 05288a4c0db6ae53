import { type MaybePromise, mapMaybe } from '../chain/backend.js';
import type { Env, OnChainData } from '../core/domain/ports.js';
import { customer } from '../core/domain/inputs.js';
import {
  type Evidence as CreditEvidence,
  type Score,
  evidenceOf,
  scoreOf,
} from '../core/domain/credit/score.js';
import { type RequestContext, NO_REQUEST } from '../core/domain/request-context.js';
import { defaultsAtMs } from '../core/domain/credit/terms.js';
import { owed } from '../core/domain/debt.js';
import { type Base, parseAmount } from '../core/domain/money.js';
import {
  type LoanApplicationInput,
  type LoanApplicationView,
  applicationView,
  applyForLoan,
} from '../core/domain/operations/apply-for-loan.js';
import { type CallLoanInput, callLoan } from '../core/domain/operations/call-loan.js';
import { cureLoan } from '../core/domain/operations/cure-loan.js';
import { linkIdentity } from '../core/domain/operations/link-identity.js';
import {
  type RepayLoanView,
  checkPayable,
  ownLoan,
  payForLoan,
  repayLoan,
} from '../core/domain/operations/repay-loan.js';
import { type ReviewInput, reviewByScore, reviewLoan } from '../core/domain/operations/review-loan.js';
import { type EligibilityView, eligibility } from '../core/domain/queries/eligibility.js';
import { type LoanView, type LoansView, loanView, loans } from '../core/domain/queries/loans.js';
import { type ProfileView, profile } from '../core/domain/queries/profile.js';
import { type Result, ok, refuse } from '../core/domain/result.js';
import type { Agent, Loan } from '../core/domain/state.js';
import type { BankEnv } from './bank-env.js';
import type { Books } from './books.js';
import { type ChainEvidence, type Evidence, nullIfUnreachable, withLookupError } from './chain-evidence.js';
import type { Consequences } from './consequences.js';

/** A score, and what it was computed from. */
export interface ScoredEvidence {
  readonly score: Score;
  readonly evidence: CreditEvidence;
}

/** Credit lines: profile, eligibility, applications, reviews and repayments. */
export class CreditDesk {
  readonly #books: Books;
  readonly #evidence: ChainEvidence;
  readonly #env: (cause?: RequestContext, atMs?: number) => BankEnv;
  readonly #openAccount: (wallet: string, cause: RequestContext) => void;
  readonly #consequences: Consequences;
  readonly #maxApplications: number;
  /** Called for each application that reaches the reviewer, after the policy's timing was read. */
  readonly #onReview: () => void;

  constructor(parts: {
    books: Books;
    evidence: ChainEvidence;
    env: (cause?: RequestContext, atMs?: number) => BankEnv;
    openAccount: (wallet: string, cause: RequestContext) => void;
    consequences: Consequences;
    maxApplications: number;
    onReview: () => void;
  }) {
    this.#books = parts.books;
    this.#evidence = parts.evidence;
    this.#env = parts.env;
    this.#openAccount = parts.openAccount;
    this.#consequences = parts.consequences;
    this.#maxApplications = parts.maxApplications;
    this.#onReview = parts.onReview;
  }

  async profile(wallet: string, cause: RequestContext = NO_REQUEST): Promise<ProfileView> {
    return profile(this.#books.state, wallet, await this.#evidence.onChain(wallet), this.#env(cause));
  }

  /** An agent's score and its evidence; null for a chain that cannot be read synchronously. */
  scoreNow(agent: Agent, env: Env): ScoredEvidence | null {
    const onChain = this.#evidence.onChainNow(agent.wallet);
    if (onChain === null) return null;
    const evidence = evidenceOf(this.#books.state, agent, onChain, env);
    return { score: scoreOf(evidence, env.terms), evidence };
  }

  /** An agent's score and its evidence. Throws ChainUnreachable. */
  async score(wallet: string): Promise<ScoredEvidence> {
    const onChain = await this.#evidence.onChain(wallet);
    const env = this.#env();
    const evidence = evidenceOf(this.#books.state, customer(this.#books.state, wallet), onChain, env);
    return { score: scoreOf(evidence, env.terms), evidence };
  }

  async eligibility(
    wallet: string,
    amount: unknown,
    cause: RequestContext = NO_REQUEST,
  ): Promise<Result<EligibilityView>> {
    const parsed: Result<Base | null> = amount === undefined ? ok(null) : parseAmount(amount, 'USDC');
    if (!parsed.ok) return parsed;
    const onChain = await this.#evidence.onChain(wallet);
    return ok(eligibility(this.#books.state, { wallet, amount: parsed.value, onChain }, this.#env(cause)));
  }

  loans(wallet: string): LoansView {
    return loans(this.#books.state, wallet, this.#env());
  }

  loan(wallet: string, loanId: string): Result<{ loan: LoanView }> {
    const found = ownLoan(this.#books.state, wallet, loanId);
    return found.ok ? ok({ loan: loanView(found.value, this.#env()) }) : found;
  }

  async applyForLoan(
    input: Omit<LoanApplicationInput, 'onChain'>,
    cause: RequestContext = NO_REQUEST,
  ): Promise<Result<LoanApplicationView>> {
    const onChain = await this.#evidence.onChain(input.wallet);
    const env = this.#env(cause);
    const decision = applyForLoan(this.#books.state, { ...input, onChain }, env);
    if (decision.ok && this.#books.state.loans.size >= this.#maxApplications)
      return refuse('loan_applications_full', { max_applications: this.#maxApplications });
    const applied = this.#books.commit(decision, env.nowMs, cause);
    if (!applied.ok) return applied;
    if (this.#loan(applied.value).status === 'pending_review')
      this.#applyPolicy({ loanId: applied.value, onChain }, env, cause);
    return ok(applicationView(this.#loan(applied.value)));
  }

  repayLoan(
    input: {
      wallet: string;
      loanId: string;
      amount: unknown;
      signature?: string | undefined;
    },
    cause: RequestContext = NO_REQUEST,
  ): MaybePromise<Result<RepayLoanView>> {
    const { wallet, loanId, amount, signature } = input;
    const decide = (onChain: { signature: string; receipt: Evidence['receipt'] } | null) => {
      const env = this.#env(cause);
      return { env, decision: repayLoan(this.#books.state, { wallet, loanId, amount, onChain }, env) };
    };
    if (signature === undefined) {
      const { env, decision } = decide(null);
      return this.#books.commit(decision, env.nowMs, cause);
    }
    return mapMaybe(this.#evidence.find(signature, this.#env().treasury, wallet, cause), (evidence) => {
      const { env, decision } = decide({ signature, receipt: evidence.receipt });
      return this.#books.commit(withLookupError(decision, evidence), env.nowMs, cause);
    });
  }

  /** Applies a reviewer's decision on an application. */
  review(input: Omit<ReviewInput, 'onChain'>, cause: RequestContext = NO_REQUEST): Result<void> {
    const env = this.#env();
    const { state } = this.#books;
    const wallet = state.loans.get(input.loanId)?.wallet;
    const onChain = wallet === undefined ? null : this.#evidence.onChainNow(wallet);
    return this.#books.commit(reviewLoan(state, { ...input, onChain }, env), env.nowMs, cause);
  }

  /** Applications that await a reviewer, oldest first. */
  pendingReviews(): Loan[] {
    const waiting = this.#books.state.loans.filter((loan) => loan.status === 'pending_review');
    return [...waiting.values()].toSorted((a, b) => a.createdSeq - b.createdSeq);
  }

  /**
   * Decides an application by the score at `atMs`. Returns false when it is decided already, or the chain cannot be reached: then a person
   * has to decide.
   */
  async decideByScore(loanId: string, atMs: number, cause: RequestContext = NO_REQUEST): Promise<boolean> {
    const onChain = await this.#evidence.onChain(this.#loan(loanId).wallet).catch(nullIfUnreachable);
    if (onChain === null) return false;
    const decision = reviewByScore(this.#books.state, { loanId, onChain }, this.#env(NO_REQUEST, atMs));
    return this.#books.commit(decision, atMs, cause).ok;
  }

  /**
   * Makes a loan overdue or defaulted as if its time had come: it becomes due now, unless it was before. Refuses `loan_not_found`,
   * `loan_not_active`.
   */
  age(
    input: { loanId: string; goal: CallLoanInput['goal']; reason?: string | undefined },
    cause: RequestContext = NO_REQUEST,
  ): Result<void> {
    const { loanId, goal, reason } = input;
    const env = this.#env();
    const called = this.#books.commit(
      callLoan(this.#books.state, { loanId, goal, reason: reason ?? null }, env),
      env.nowMs,
      cause,
    );
    if (!called.ok) return called;
    const { nowMs: atMs } = env;
    this.#consequences.fallDue({ loanId, dueAtMs: this.#loan(loanId).dueAtMs as number, atMs }, cause);
    if (goal === 'defaulted')
      this.#consequences.fallDefault({ loanId, dueAtMs: defaultsAtMs(this.#loan(loanId)), atMs }, cause);
    return ok(undefined);
  }

  /** Reactivates an overdue or defaulted loan with a new due date; refuses what `cureLoan` does. */
  cure(
    input: { loanId: string; dueAtMs: number | null; forgive: boolean; reason?: string | undefined },
    cause: RequestContext = NO_REQUEST,
  ): Result<void> {
    const env = this.#env();
    const decision = cureLoan(this.#books.state, { ...input, reason: input.reason ?? null }, env);
    return this.#books.commit(decision, env.nowMs, cause);
  }

  /** Whether an amount can be paid on a loan now, by any payer. */
  checkPayable(loanId: string, amount: unknown): Result<void> {
    const payable = checkPayable(this.#books.state, loanId, amount);
    return payable.ok ? ok(undefined) : payable;
  }

  /** Counts a payment to the treasury by any payer as one on a loan. No confirmations needed: the simulator made it itself. */
  payFor(
    input: { loanId: string; amount: unknown; signature: string },
    cause: RequestContext = NO_REQUEST,
  ): MaybePromise<Result<RepayLoanView>> {
    const { loanId, amount, signature } = input;
    const wallet = this.#books.state.loans.get(loanId)?.wallet ?? '';
    return mapMaybe(this.#evidence.find(signature, this.#env().treasury, wallet, cause), (evidence) => {
      const env = this.#env(cause);
      const receipt = evidence.receipt === null ? null : { ...evidence.receipt, confirmed: true };
      const onChain = { signature, receipt };
      const decision = payForLoan(this.#books.state, { loanId, amount, onChain }, env);
      return this.#books.commit(withLookupError(decision, evidence), env.nowMs, cause);
    });
  }

  /** All loans and applications, newest first. */
  allLoans(): Loan[] {
    return [...this.#books.state.loans.values()].toSorted((a, b) => b.createdSeq - a.createdSeq);
  }

  /** The amount owed on a loan now, in base units of USDC. */
  owedOn(loan: Loan): bigint {
    return loan.debt === null ? 0n : owed(loan.debt, this.#env().nowMs);
  }

  /** Applies the policy to an application that has reached the reviewer, if it decides at once. */
  #applyPolicy(
    input: { readonly loanId: string; readonly onChain: OnChainData },
    env: BankEnv,
    cause: RequestContext,
  ): void {
    const timing = env.reviewTiming();
    this.#onReview();
    const { state } = this.#books;
    if (timing.kind === 'at-once') this.#books.commit(reviewByScore(state, input, env), env.nowMs, cause);
    else if (timing.kind === 'verdict') {
      const { approve, reason } = timing;
      this.#books.commit(reviewLoan(state, { ...input, approve, reason }, env), env.nowMs, cause);
    }
  }

  linkIdentity(
    input: { wallet: string; x: boolean; github: boolean },
    cause: RequestContext = NO_REQUEST,
  ): void {
    this.#openAccount(input.wallet, cause);
    this.#books.commit(ok(linkIdentity(input)), this.#env().nowMs, cause);
  }

  #loan(id: string): Loan {
    const loan = this.#books.state.loans.get(id);
    if (loan === undefined) throw new Error(`there is no loan ${id}`);
    return loan;
  }
}
