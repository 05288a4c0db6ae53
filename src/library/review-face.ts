import type { Bank } from '../bank/bank.js';
import { isoOf } from '../domain/calendar.js';
import { amountOf } from '../domain/money.js';
import { parseReviewPolicy } from '../world/reviewer.js';
import { RefusedError } from './refusals.js';

/** An application for credit that waits for a decision. */
export interface PendingReview {
  readonly loanId: string;
  readonly wallet: string;
  /** USDC. */
  readonly amount: number;
  readonly purpose: string;
  readonly durationDays: number;
  readonly createdAt: string;
}

/** Applications for credit and who decides them. */
export class ReviewFace {
  readonly #bank: Bank;

  constructor(bank: Bank) {
    this.#bank = bank;
  }

  /** Applications that wait for a decision, oldest first. */
  list(): PendingReview[] {
    return this.#bank.credit.pendingReviews().map((loan) => ({
      loanId: loan.id,
      wallet: loan.wallet,
      amount: amountOf('USDC', loan.amountBase).toNumber(),
      purpose: loan.purpose,
      durationDays: loan.durationDays,
      createdAt: isoOf(loan.createdAtMs),
    }));
  }

  /** Approves an application. Throws RefusedError when it does not wait for a decision. */
  approve(loanId: string, reason?: string): void {
    this.#decide(loanId, true, reason);
  }

  /** Denies an application. Throws RefusedError when it does not wait for a decision. */
  deny(loanId: string, reason?: string): void {
    this.#decide(loanId, false, reason);
  }

  /** `manual`, `auto` or `delay:<duration>`, for applications from now on. */
  setPolicy(policy: string): void {
    this.#bank.setReviewPolicy(parseReviewPolicy(policy));
  }

  #decide(loanId: string, approve: boolean, reason: string | undefined): void {
    const decided = this.#bank.credit.review({ loanId, approve, reason });
    if (!decided.ok) throw new RefusedError(decided.refusal);
  }
}
