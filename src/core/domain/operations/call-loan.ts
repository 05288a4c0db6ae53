import { type Decision, allowSilently } from '../decision.js';
import { draft } from '../entry.js';
import type { Env } from '../ports.js';
import { type Result, refuse } from '../result.js';
import type { State } from '../state.js';
import { noSuchLoan } from './repay-loan.js';

export interface CallLoanInput {
  readonly loanId: string;
  readonly goal: 'overdue' | 'defaulted';
  readonly reason: string | null;
}

/**
 * Operator action: makes a loan due now, unless it was due before. The entries that follow (overdue, defaulted) are the usual ones.
 * Refuses `loan_not_found`, and `loan_not_active` for a loan that cannot reach `goal`.
 */
export function callLoan(state: State, input: CallLoanInput, env: Env): Result<Decision<void>> {
  const { loanId, goal, reason } = input;
  const loan = state.loans.get(loanId);
  if (loan === undefined) return noSuchLoan(loanId);
  if (loan.status !== 'active' && !(loan.status === 'overdue' && goal === 'defaulted')) {
    const allowed = goal === 'defaulted' ? 'an active or overdue' : 'an active';
    return refuse(
      'loan_not_active',
      { status: loan.status },
      `The loan is ${loan.status}; only ${allowed} one can become ${goal}.`,
    );
  }
  const dueAtMs = Math.min(loan.dueAtMs as number, env.nowMs);
  return allowSilently(draft(loan.wallet, { kind: 'loan.called', loanId, dueAtMs, reason }, []));
}
