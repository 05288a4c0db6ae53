import { DAY_MS, isoOf } from '../calendar.js';
import { type Decision, allowSilently } from '../decision.js';
import { draft } from '../entry.js';
import type { Env } from '../ports.js';
import { type Result, refuse } from '../result.js';
import type { State } from '../state.js';
import { noSuchLoan } from './repay-loan.js';

export interface CureLoanInput {
  readonly loanId: string;
  /** The new due date; null for the loan's own duration from now. */
  readonly dueAtMs: number | null;
  /** Whether the miss is also removed from the agent's record. */
  readonly forgive: boolean;
  readonly reason: string | null;
}

/**
 * Operator action: reactivates an overdue or defaulted loan with a new due date. No money moves, and interest keeps accruing.
 * Refuses `loan_not_found`, `loan_not_active` when nothing was missed, and `invalid_request` for a due date that is not in the
 * future.
 */
export function cureLoan(state: State, input: CureLoanInput, env: Env): Result<Decision<void>> {
  const { loanId, forgive, reason } = input;
  const loan = state.loans.get(loanId);
  if (loan === undefined) return noSuchLoan(loanId);
  if (loan.status !== 'overdue' && loan.status !== 'defaulted') {
    return refuse(
      'loan_not_active',
      { status: loan.status },
      `The loan is ${loan.status}; only an overdue or defaulted one can be cured.`,
    );
  }
  const dueAtMs = input.dueAtMs ?? env.nowMs + loan.durationDays * DAY_MS;
  if (dueAtMs <= env.nowMs) {
    const [due_date, now] = [isoOf(dueAtMs), isoOf(env.nowMs)];
    return refuse(
      'invalid_request',
      { due_date, now },
      `The new due date ${due_date} must be in the future; it is ${now}.`,
    );
  }
  return allowSilently(
    draft(loan.wallet, { kind: 'loan.cured', loanId, dueAtMs, forgiven: forgive, reason }, []),
  );
}
