import { defaultsAtMs } from '../credit/terms.js';
import { type Debt, owed, splitPayment } from '../debt.js';
import { type EntryDraft, credit, debit, draft } from '../entry.js';
import { customer } from '../inputs.js';
import { mulDiv } from '../money.js';
import { PPM } from '../rates.js';
import type { BankTerms } from '../bank-terms.js';
import { type State, holding } from '../state.js';

/** The entry that makes a loan overdue; null when nothing is owed, or when `atMs` is no longer its due date. */
export function loanDue(state: State, loanId: string, atMs: number): EntryDraft | null {
  const loan = state.loans.get(loanId);
  if (loan?.status !== 'active' || loan.dueAtMs !== atMs) return null;
  return draft(loan.wallet, { kind: 'loan.overdue', loanId }, []);
}

/** The entry that adds the late fee to an overdue loan; null without a fee. The share of the debt is rounded up. */
export function lateFee(
  state: State,
  loanId: string,
  { atMs, terms }: { atMs: number; terms: BankTerms },
): EntryDraft | null {
  const loan = state.loans.get(loanId);
  if (loan?.status !== 'overdue') return null;
  const owedBase = owed(loan.debt as Debt, atMs);
  const amountBase = terms.lateFeeBase + mulDiv(owedBase, terms.lateFeePpm, PPM, 'ceil');
  if (amountBase === 0n) return null;
  return draft(loan.wallet, { kind: 'loan.charged', loanId, amountBase, owedBase }, [
    debit('credit_line', loan.wallet, 'USDC', amountBase),
    credit('interest_income', null, 'USDC', amountBase),
  ]);
}

/** The entry that defaults a loan 30 days after its due date; null when it was paid, or its due date was changed. */
export function loanDefault(state: State, loanId: string, atMs: number): EntryDraft | null {
  const loan = state.loans.get(loanId);
  if (loan?.status !== 'overdue' || defaultsAtMs(loan) !== atMs) return null;
  return draft(loan.wallet, { kind: 'loan.defaulted', loanId }, []);
}

/** The entry that sets off checking against a loan that has defaulted, interest first; null when there is nothing to take. */
export function setOff(
  state: State,
  loanId: string,
  { atMs, terms }: { atMs: number; terms: BankTerms },
): EntryDraft | null {
  const loan = state.loans.get(loanId);
  if (loan?.status !== 'defaulted') return null;
  const { wallet } = loan;
  const checkingBase = holding(customer(state, wallet), 'checking', 'USDC');
  const debt = loan.debt as Debt;
  const paid = splitPayment(debt, mulDiv(checkingBase, terms.setOffPpm, PPM, 'floor'), atMs);
  const amountBase = paid.interestBase + paid.principalBase;
  if (amountBase === 0n) return null;
  const owedBase = owed(debt, atMs);
  const facts = { kind: 'loan.set_off', loanId, amountBase, ...paid, owedBase, checkingBase } as const;
  return draft(wallet, facts, [
    debit('checking', wallet, 'USDC', amountBase),
    credit('credit_line', wallet, 'USDC', paid.principalBase),
    credit('interest_income', null, 'USDC', paid.interestBase),
  ]);
}
