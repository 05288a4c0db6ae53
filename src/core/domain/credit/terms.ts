import { DAY_MS } from '../calendar.js';
import type { Agent, Loan, State } from '../state.js';
import type { Score } from './score.js';

/** Bounds of credit lines: 100 to 10,000 USD. Source: service description, Limits. Base units of USDC. */
export const MIN_LOAN_BASE = 100_000_000n;
export const MAX_LOAN_BASE = 10_000_000_000n;

/** Published eligibility terms: 0.7 and 90 days. */
export const MAX_LTV_PPM = 700_000n;
export const MAX_DURATION_DAYS = 90;

/** The published default duration of one variant. */
export const DEFAULT_DURATION_DAYS = 30;

/** How long after its due date an unpaid loan defaults. */
const DEFAULT_AFTER_MS = 30 * DAY_MS;

/** When a loan defaults if it stays unpaid. */
export function defaultsAtMs(loan: Loan): number {
  return (loan.dueAtMs as number) + DEFAULT_AFTER_MS;
}

/** Whether a loan still has to be repaid. */
export function isOpen(loan: Loan): boolean {
  return loan.status === 'active' || loan.status === 'overdue' || loan.status === 'defaulted';
}

/** The agent's loans, oldest first. */
export function loansOf(state: State, agent: Agent): Loan[] {
  return agent.loanIds.toArray().map((id) => state.loans.get(id) as Loan);
}

/** What the score still allows an agent to borrow, in base units of USDC: credit limit less open principal; 0 when under 100 USD. */
export function maxLoanBase(state: State, agent: Agent, score: Score): bigint {
  const open = loansOf(state, agent).filter(isOpen);
  const outstanding = open.reduce((sum, loan) => sum + (loan.debt?.principalBase ?? 0n), 0n);
  const left = score.creditLimitUsd * 1_000_000n - outstanding;
  return left < MIN_LOAN_BASE ? 0n : left;
}
