import { DAY_MS } from '../calendar.js';
import { owed } from '../debt.js';
import type { Agent, Loan, State } from '../state.js';

/** The published maximum duration. */
export const MAX_DURATION_DAYS = 90;

/** The published default duration of one variant. */
export const DEFAULT_DURATION_DAYS = 30;

/** How long after its due date an unpaid loan defaults. */
const DEFAULT_AFTER_MS = 30 * DAY_MS;

/** When a loan defaults if it stays unpaid. */
export function defaultsAtMs(loan: Loan): number {
  return (loan.dueAtMs as number) + DEFAULT_AFTER_MS;
}

/** Whether a loan is still owed. */
export function isOpen(loan: Loan): boolean {
  return loan.status === 'active' || loan.status === 'overdue' || loan.status === 'defaulted';
}

/** The agent's loans, oldest first. */
export function loansOf(state: State, agent: Agent): Loan[] {
  return agent.loanIds.toArray().map((id) => state.loans.get(id) as Loan);
}

/** Principal and interest owed on a loan at an instant, in base units of USDC. */
export function outstanding(loan: Loan, atMs: number): bigint {
  return loan.debt === null ? 0n : owed(loan.debt, atMs);
}

/** Principal and interest that an agent owes on its credit lines at an instant, in base units of USDC. */
export function creditOwed(state: State, agent: Agent, atMs: number): bigint {
  return loansOf(state, agent).reduce((sum, loan) => sum + outstanding(loan, atMs), 0n);
}

/** The agent's undecided applications, oldest first. */
export function undecided(state: State, agent: Agent): Loan[] {
  return loansOf(state, agent).filter(({ status }) => status === 'pending_review');
}
