import { type EntryDraft, draft } from '../entry.js';
import type { State } from '../state.js';

/** The entry that makes an unpaid loan overdue at its due date; null when nothing is owed any more. */
export function loanDue(state: State, loanId: string): EntryDraft | null {
  const loan = state.loans.get(loanId);
  if (loan?.status !== 'active') return null;
  return draft(loan.wallet, { kind: 'loan.overdue', loanId }, []);
}

/** The entry that makes a loan defaulted 30 days after it was due; null when it was paid. */
export function loanDefault(state: State, loanId: string): EntryDraft | null {
  const loan = state.loans.get(loanId);
  if (loan?.status !== 'overdue') return null;
  return draft(loan.wallet, { kind: 'loan.defaulted', loanId }, []);
}
