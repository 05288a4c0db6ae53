import { defaultsAtMs } from '../credit/terms.js';
import { type EntryDraft, draft } from '../entry.js';
import type { State } from '../state.js';

/**
 * The entry that makes an unpaid loan overdue at its due date; null when nothing is owed any more, or when `atMs` is a due date that
 * it has no more.
 */
export function loanDue(state: State, loanId: string, atMs: number): EntryDraft | null {
  const loan = state.loans.get(loanId);
  if (loan?.status !== 'active' || loan.dueAtMs !== atMs) return null;
  return draft(loan.wallet, { kind: 'loan.overdue', loanId }, []);
}

/** The entry that makes a loan defaulted 30 days after it was due; null when it was paid, or got another due date since. */
export function loanDefault(state: State, loanId: string, atMs: number): EntryDraft | null {
  const loan = state.loans.get(loanId);
  if (loan?.status !== 'overdue' || defaultsAtMs(loan) !== atMs) return null;
  return draft(loan.wallet, { kind: 'loan.defaulted', loanId }, []);
}
