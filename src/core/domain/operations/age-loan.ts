import { defaultsAtMs } from '../credit/terms.js';
import { type EntryDraft, draft } from '../entry.js';
import type { State } from '../state.js';

/**
 * The entry that makes an unpaid loan overdue at its due date; null when nothing is owed any more, or when `atMs` is no longer its due
 * date.
 */
export function loanDue(state: State, loanId: string, atMs: number): EntryDraft | null {
  const loan = state.loans.get(loanId);
  if (loan?.status !== 'active' || loan.dueAtMs !== atMs) return null;
  return draft(loan.wallet, { kind: 'loan.overdue', loanId }, []);
}

/** The entry that defaults a loan 30 days after its due date; null when it was paid, or its due date was changed. */
export function loanDefault(state: State, loanId: string, atMs: number): EntryDraft | null {
  const loan = state.loans.get(loanId);
  if (loan?.status !== 'overdue' || defaultsAtMs(loan) !== atMs) return null;
  return draft(loan.wallet, { kind: 'loan.defaulted', loanId }, []);
}
