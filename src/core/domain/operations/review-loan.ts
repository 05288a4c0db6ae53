import { DAY_MS } from '../calendar.js';
import type { Decision } from '../decision.js';
import { credit, debit, draft } from '../entry.js';
import type { Env } from '../ports.js';
import { type Result, ok, refuse } from '../result.js';
import type { State } from '../state.js';

export interface ReviewInput {
  readonly loanId: string;
  readonly approve: boolean;
  readonly reason: string | null;
}

/** Applies a reviewer's decision. Approval pays the principal into checking and starts the loan. */
export function reviewLoan(state: State, input: ReviewInput, env: Env): Result<Decision<void>> {
  const loan = state.loans.get(input.loanId);
  if (loan === undefined) return refuse('loan_not_found', { loan_id: input.loanId });
  if (loan.status !== 'pending_review') {
    return refuse('loan_not_active', { status: loan.status }, 'The application was decided before.');
  }
  const view = () => undefined;
  const { loanId, reason } = input;
  if (!input.approve)
    return ok({ draft: draft(loan.wallet, { kind: 'loan.denied', loanId, reason }, []), view });
  const dueAtMs = env.nowMs + loan.durationDays * DAY_MS;
  return ok({
    draft: draft(loan.wallet, { kind: 'loan.approved', loanId, dueAtMs, reason }, [
      debit('credit_line', loan.wallet, 'USDC', loan.amountBase),
      credit('checking', loan.wallet, 'USDC', loan.amountBase),
    ]),
    view,
  });
}
