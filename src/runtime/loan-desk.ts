import { DURATIONS, isoOf, parseDuration } from '../core/domain/calendar.js';
import { outstanding } from '../core/domain/credit/terms.js';
import { tokenUnits } from '../core/domain/money.js';
import type { CallLoanInput } from '../core/domain/operations/call-loan.js';
import { checkPayable, noSuchLoan } from '../core/domain/operations/repay-loan.js';
import { type RequestContext, NO_REQUEST } from '../core/domain/request-context.js';
import type { Result } from '../core/domain/result.js';
import type { Loan } from '../core/domain/state.js';
import { decimalRate } from '../core/domain/views.js';
import { parseReviewPolicy, reviewPolicyText } from '../world/reviewer.js';
import { instantOf } from '../world/sources.js';
import { type LoanQuery, checkInput, checkQuery, loanQuery } from './inspection/queries.js';
import { RefusedError, inProcess } from './refusals.js';
import type { WorldParts } from './world-parts.js';

/** How to reinstate an overdue or defaulted loan. */
export interface Cure {
  /** The new due date: an instant, or a duration from now; defaults to the loan's own duration from now. */
  readonly dueDate?: string | Date | undefined;
  readonly dueIn?: string | undefined;
  /** Whether to remove the miss from the agent's record; false by default. */
  readonly forgive?: boolean | undefined;
  readonly reason?: string | undefined;
}

type Parts = Pick<WorldParts, 'bank' | 'scheduler' | 'embedded'>;

const LOANS_LIMIT = 100;

/** The operator's side of credit: applications, review policy, and the state of loans. */
export class LoanDesk {
  readonly #bank: Parts['bank'];
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#bank = parts.bank;
    this.#parts = parts;
  }

  /** Applications awaiting a decision, oldest first. */
  list(): PendingReview[] {
    const waiting = this.#newestFirst().filter(({ status }) => status === 'pending_review');
    return waiting.toReversed().map(pending);
  }

  /** A page of loans and applications, newest first, and the total number. */
  loans(query: LoanQuery = {}): { loans: DeskLoan[]; total: number } {
    checkQuery(query, loanQuery);
    const { wallet, status, limit = LOANS_LIMIT, offset = 0 } = query;
    const wanted = this.#newestFirst().filter(
      (loan) => (wallet ?? loan.wallet) === loan.wallet && (status ?? loan.status) === loan.status,
    );
    const page = wanted.slice(offset, offset + limit);
    const { nowMs } = this.#bank.env();
    return { loans: page.map((loan) => viewOf(loan, nowMs)), total: wanted.length };
  }

  /** One loan or application. Throws RefusedError when it does not exist. */
  loan(loanId: string): DeskLoan {
    const loan = this.#bank.books.state.loans.get(loanId);
    return viewOf(loan ?? allowed(noSuchLoan(loanId)), this.#bank.env().nowMs);
  }

  /**
   * Approves an application, within the credit limit or beyond; the reason on the books says how far beyond. Throws
   * RefusedError when it is not awaiting a decision.
   */
  approve(loanId: string, reason?: string, cause?: RequestContext): Promise<void> {
    return this.#decide({ loanId, approve: true, reason }, cause);
  }

  /** Denies an application. Throws RefusedError when it is not awaiting a decision. */
  deny(loanId: string, reason?: string, cause?: RequestContext): Promise<void> {
    return this.#decide({ loanId, approve: false, reason }, cause);
  }

  /** Sets the review policy: `manual`, `auto` or `delay:<duration>`. Throws RangeError for anything else. */
  setPolicy(policy: string): void {
    this.#bank.reviewPolicy.value = parseReviewPolicy(policy);
  }

  /** The current review policy. */
  policy(): { readonly policy: string } {
    return { policy: reviewPolicyText(this.#bank.reviewPolicy.value) };
  }

  /** Makes an active loan due and overdue now. Throws RefusedError when it is not active. */
  setOverdue(loanId: string, reason?: string, cause?: RequestContext): Promise<DeskLoan> {
    return this.#age({ loanId, goal: 'overdue', reason: reason ?? null }, cause);
  }

  /** Makes an active loan due, overdue and defaulted now, or an overdue one defaulted. Throws RefusedError when it is neither. */
  default(loanId: string, reason?: string, cause?: RequestContext): Promise<DeskLoan> {
    return this.#age({ loanId, goal: 'defaulted', reason: reason ?? null }, cause);
  }

  /**
   * Reinstates an overdue or defaulted loan as active, with a new due date. The debt stays, and so does the miss on the
   * record unless it is forgiven. Throws RefusedError when the loan is neither overdue nor defaulted, RangeError for an
   * invalid date or duration.
   */
  async cure(loanId: string, cure: Cure = {}, cause?: RequestContext): Promise<DeskLoan> {
    checkInput(cure, {}, ['dueDate', 'dueIn', 'forgive', 'reason']);
    const { forgive = false, reason = null } = cure;
    return this.#parts.scheduler.runAsOperator(() => {
      allowed(this.#bank.credit.cure({ loanId, dueAtMs: this.#dueAtMs(cure), forgive, reason }, cause));
      return this.loan(loanId);
    }, cause);
  }

  /**
   * Pays on a loan from outside: sends USDC from the faucet to the treasury, and books it as the borrower's payment.
   * Any excess goes to the borrower's checking account. Throws RefusedError when nothing is owed, before anything is
   * sent, and ClusterLimit on a cluster.
   */
  async pay(
    loanId: string,
    amount: number,
    cause: RequestContext = NO_REQUEST,
  ): Promise<{ loan: DeskLoan; paid: number; signature: string }> {
    const { scheduler, embedded } = this.#parts;
    // Another payment that runs meanwhile could leave nothing to pay, after this one's USDC were sent.
    return scheduler.runExclusiveAfterDue(async () => {
      const { books, credit, addresses } = this.#bank;
      allowed(checkPayable(books.state, loanId, amount));
      const { signature } = await inProcess(embedded, 'faucet').give({
        address: addresses.treasury.address,
        amount,
        token: 'USDC',
        mint: addresses.usdcMint,
      });
      const { payment } = allowed(await credit.payFor({ loanId, amount, signature }, cause));
      return { loan: this.loan(loanId), paid: payment.amount.toNumber(), signature };
    });
  }

  #decide(
    { reason, ...input }: { loanId: string; approve: boolean; reason: string | undefined },
    cause: RequestContext | undefined,
  ): Promise<void> {
    return this.#parts.scheduler.runAsOperator(() => {
      allowed(this.#bank.credit.review({ ...input, reason: reason ?? null }, cause));
    }, cause);
  }

  #age(input: CallLoanInput, cause: RequestContext | undefined): Promise<DeskLoan> {
    return this.#parts.scheduler.runAsOperator(() => {
      allowed(this.#bank.credit.age(input, cause));
      return this.loan(input.loanId);
    }, cause);
  }

  #newestFirst(): Loan[] {
    return [...this.#bank.books.state.loans.values()].toSorted((a, b) => b.createdSeq - a.createdSeq);
  }

  #dueAtMs({ dueDate, dueIn }: Cure): number | null {
    if (dueDate !== undefined && dueIn !== undefined)
      throw new RangeError('pass a due date or a duration, not both');
    if (dueDate !== undefined) return instantOf(dueDate instanceof Date ? dueDate.getTime() : dueDate);
    if (dueIn === undefined) return null;
    const ms = parseDuration(dueIn);
    if (ms === null) throw new RangeError(`not a duration: ${dueIn}; use ${DURATIONS}`);
    return this.#bank.env().nowMs + ms;
  }
}

function pending(loan: Loan) {
  return {
    loanId: loan.id,
    wallet: loan.wallet,
    /** USDC. */
    amount: tokenUnits('USDC', loan.amountBase),
    purpose: loan.purpose,
    durationDays: loan.durationDays,
    createdAt: isoOf(loan.createdAtMs),
  };
}

function viewOf(loan: Loan, nowMs: number) {
  return {
    ...pending(loan),
    status: loan.status,
    /** As a fraction: 0.35 is 35 %. */
    apr: decimalRate(loan.aprPpm).toNumber(),
    /** Principal and interest owed now, in USDC. */
    outstanding: tokenUnits('USDC', outstanding(loan, nowMs)),
    dueDate: loan.dueAtMs === null ? null : isoOf(loan.dueAtMs),
    /** Why it was approved or denied. */
    reason: loan.reason,
    /** The worst outcome on the agent's record that was not forgiven. */
    record: loan.record,
  };
}

/**
 * A credit application awaiting a decision.
 * @interface
 */
export type PendingReview = Readonly<ReturnType<typeof pending>>;

/**
 * A loan or application as the bank's operator sees it.
 * @interface
 */
export type DeskLoan = Readonly<ReturnType<typeof viewOf>>;

/** The value of a result. Throws RefusedError. */
function allowed<T>(result: Result<T>): T {
  if (!result.ok) throw new RefusedError(result.refusal);
  return result.value;
}
