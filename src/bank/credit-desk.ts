import { asUnreachable } from '../chain/backend.js';
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
import { type Base, parseAmount } from '../core/domain/money.js';
import {
  type LoanApplicationInput,
  applicationView,
  applyForLoan,
} from '../core/domain/operations/apply-for-loan.js';
import { type CallLoanInput, callLoan } from '../core/domain/operations/call-loan.js';
import { type CureLoanInput, cureLoan } from '../core/domain/operations/cure-loan.js';
import { type RepayLoanInput, ownLoan, payForLoan, repayLoan } from '../core/domain/operations/repay-loan.js';
import { type ReviewInput, reviewByScore, reviewLoan } from '../core/domain/operations/review-loan.js';
import { eligibility } from '../core/domain/queries/eligibility.js';
import { loanView, loans } from '../core/domain/queries/loans.js';
import { profile } from '../core/domain/queries/profile.js';
import { type Result, ok, refuse } from '../core/domain/result.js';
import { type Agent, loanOf } from '../core/domain/state.js';
import type { BankWorld } from './bank-world.js';
import type { Books } from './books.js';
import type { ChainEvidence } from './chain-evidence.js';
import type { Consequences } from './consequences.js';

/** A score, and the inputs it was computed from. */
export interface ScoredEvidence {
  readonly score: Score;
  readonly evidence: CreditEvidence;
}

interface Parts {
  readonly books: Books;
  readonly evidence: ChainEvidence;
  readonly world: BankWorld;
  readonly consequences: Consequences;
  /** Maximum number of stored credit applications; further ones are refused. */
  readonly maxApplications: number;
}

/** Credit lines: profile, eligibility, applications, reviews and repayments. */
export class CreditDesk {
  readonly #books: Books;
  readonly #evidence: ChainEvidence;
  readonly #world: BankWorld;
  readonly #consequences: Consequences;
  readonly #maxApplications: number;

  constructor(parts: Parts) {
    this.#books = parts.books;
    this.#evidence = parts.evidence;
    this.#world = parts.world;
    this.#consequences = parts.consequences;
    this.#maxApplications = parts.maxApplications;
  }

  profile(wallet: string, cause: RequestContext = NO_REQUEST) {
    return this.#evidence.ofWallet(wallet, (onChain) =>
      profile(this.#books.state, wallet, onChain, this.#world.env(cause)),
    );
  }

  /** An agent's score and its evidence; null for a cluster. */
  scoreNow(agent: Agent, env: Env): ScoredEvidence | null {
    const onChain = this.#evidence.onChainNow(agent.wallet);
    return onChain === null ? null : this.#scored(agent, onChain, env);
  }

  /** An agent's score and its evidence. Throws ChainUnreachable. */
  score(wallet: string): ScoredEvidence | Promise<ScoredEvidence> {
    return this.#evidence.ofWallet(wallet, (onChain) =>
      this.#scored(customer(this.#books.state, wallet), onChain, this.#world.env()),
    );
  }

  #scored(agent: Agent, onChain: OnChainData, env: Env): ScoredEvidence {
    const evidence = evidenceOf(this.#books.state, agent, onChain, env);
    return { score: scoreOf(evidence, env.terms), evidence };
  }

  eligibility(wallet: string, asked: unknown, cause: RequestContext = NO_REQUEST) {
    const amount: Result<Base | null> = asked === undefined ? ok(null) : parseAmount(asked, 'USDC');
    if (!amount.ok) return amount;
    return this.#evidence.ofWallet(wallet, (onChain) =>
      ok(eligibility(this.#books.state, { wallet, amount: amount.value, onChain }, this.#world.env(cause))),
    );
  }

  loans(wallet: string) {
    return loans(this.#books.state, wallet, this.#world.env());
  }

  loan(wallet: string, loanId: string) {
    const found = ownLoan(this.#books.state, wallet, loanId);
    return found.ok ? ok({ loan: loanView(found.value, this.#world.env()) }) : found;
  }

  applyForLoan(input: Omit<LoanApplicationInput, 'onChain'>, cause: RequestContext = NO_REQUEST) {
    return this.#evidence.ofWallet(input.wallet, (onChain) => this.#apply({ ...input, onChain }, cause));
  }

  #apply(input: LoanApplicationInput, cause: RequestContext) {
    const env = this.#world.env(cause);
    const decision = applyForLoan(this.#books.state, input, env);
    if (decision.ok && this.#books.state.loans.size >= this.#maxApplications)
      return refuse('loan_applications_full', { max_applications: this.#maxApplications });
    const applied = this.#books.commit(decision, env.nowMs, cause);
    if (!applied.ok) return applied;
    if (loanOf(this.#books.state, applied.value).status === 'pending_review')
      this.#applyPolicy({ loanId: applied.value, onChain: input.onChain }, env, cause);
    return ok(applicationView(loanOf(this.#books.state, applied.value)));
  }

  repayLoan(
    { signature, ...input }: Omit<RepayLoanInput, 'onChain'> & { readonly signature?: string | undefined },
    cause: RequestContext = NO_REQUEST,
  ) {
    const repay = (onChain: RepayLoanInput['onChain']) => {
      const env = this.#world.env(cause);
      return this.#books.commit(repayLoan(this.#books.state, { ...input, onChain }, env), env.nowMs, cause);
    };
    if (signature === undefined) return repay(null);
    return this.#evidence.ofTransaction(this.#paid(signature, input.wallet), cause, (lookUp) =>
      repay({ signature, lookUp }),
    );
  }

  #paid(signature: string, caller: string) {
    return { signature, address: this.#world.constants.treasury, caller };
  }

  /** Applies a reviewer's decision on an application. */
  review(input: Omit<ReviewInput, 'onChain'>, cause: RequestContext = NO_REQUEST): Result<void> {
    const env = this.#world.env();
    const { state } = this.#books;
    const wallet = state.loans.get(input.loanId)?.wallet;
    const onChain = wallet === undefined ? null : this.#evidence.onChainNow(wallet);
    return this.#books.commit(reviewLoan(state, { ...input, onChain }, env), env.nowMs, cause);
  }

  /**
   * Decides an application by the score at `atMs`. Returns false when it is already decided, or when the chain cannot
   * be reached and a person must decide.
   */
  async decideByScore(loanId: string, atMs: number, cause: RequestContext = NO_REQUEST): Promise<boolean> {
    try {
      return await this.#evidence.ofWallet(loanOf(this.#books.state, loanId).wallet, (onChain) => {
        const decision = reviewByScore(
          this.#books.state,
          { loanId, onChain },
          this.#world.env(NO_REQUEST, atMs),
        );
        return this.#books.commit(decision, atMs, cause).ok;
      });
    } catch (error) {
      asUnreachable(error);
      return false;
    }
  }

  /** Makes a loan overdue or defaulted, due now at the latest. Refuses `loan_not_found`, `loan_not_active`. */
  age(input: CallLoanInput, cause: RequestContext = NO_REQUEST): Result<void> {
    const { loanId, goal } = input;
    const env = this.#world.env();
    const { nowMs: atMs } = env;
    const called = this.#books.commit(callLoan(this.#books.state, input, env), atMs, cause);
    if (!called.ok) return called;
    this.#consequences.fallDue(
      { loanId, dueAtMs: loanOf(this.#books.state, loanId).dueAtMs as number, atMs },
      cause,
    );
    if (goal === 'defaulted')
      this.#consequences.fallDefault(
        { loanId, dueAtMs: defaultsAtMs(loanOf(this.#books.state, loanId)), atMs },
        cause,
      );
    return ok(undefined);
  }

  /** Reactivates an overdue or defaulted loan with a new due date; refuses what `cureLoan` does. */
  cure(input: CureLoanInput, cause: RequestContext = NO_REQUEST): Result<void> {
    const env = this.#world.env();
    return this.#books.commit(cureLoan(this.#books.state, input, env), env.nowMs, cause);
  }

  /** Counts a payment to the treasury by any payer as a repayment of a loan, without waiting for confirmation. */
  payFor(
    { signature, ...input }: { loanId: string; amount: unknown; signature: string },
    cause: RequestContext = NO_REQUEST,
  ) {
    const wallet = this.#books.state.loans.get(input.loanId)?.wallet ?? '';
    return this.#evidence.ofTransaction(this.#paid(signature, wallet), cause, (find) => {
      const lookUp = () => {
        const found = find();
        return found.ok ? ok({ ...found.value, confirmed: true }) : found;
      };
      const env = this.#world.env(cause);
      const decision = payForLoan(this.#books.state, { ...input, onChain: { signature, lookUp } }, env);
      return this.#books.commit(decision, env.nowMs, cause);
    });
  }

  /** Applies a policy that decides at once to an application that has reached the reviewer. */
  #applyPolicy(
    input: { readonly loanId: string; readonly onChain: OnChainData },
    env: Env,
    cause: RequestContext,
  ): void {
    if (env.reviewTiming().kind === 'at-once')
      this.#books.commit(reviewByScore(this.#books.state, input, env), env.nowMs, cause);
  }
}
