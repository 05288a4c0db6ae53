import { DAY_MS } from '../calendar.js';
import { creditStanding } from '../credit/score.js';
import { type Decision, allowSilently } from '../decision.js';
import { credit, debit, draft } from '../entry.js';
import { customer } from '../inputs.js';
import { amountOf } from '../money.js';
import type { Env, OnChainData } from '../ports.js';
import { type Result, refuse } from '../result.js';
import type { Loan, State } from '../state.js';
import { noSuchLoan } from './repay-loan.js';

export interface ReviewInput {
  readonly loanId: string;
  readonly approve: boolean;
  readonly reason: string | null;
  /** For an approval, to say how far it exceeds the credit limit; null when the chain cannot be read. */
  readonly onChain: OnChainData | null;
}

/** How far an approval now exceeds the borrower's credit limit, in words; null when it is within the limit. */
function excessWords(state: State, loan: Loan, onChain: OnChainData, env: Env): string | null {
  const agent = customer(state, loan.wallet);
  const { score, limitBase, owedBase } = creditStanding(state, agent, onChain, env);
  const excess = owedBase + loan.amountBase - limitBase;
  if (excess <= 0n) return null;
  return `${amountOf('USDC', excess).toString()} USD beyond the credit limit of ${score.creditLimitUsd} USD`;
}

/** Applies a reviewer's decision. Approval pays the principal into checking and starts the loan. */
export function reviewLoan(state: State, input: ReviewInput, env: Env): Result<Decision<void>> {
  const loan = state.loans.get(input.loanId);
  if (loan === undefined) return noSuchLoan(input.loanId);
  if (loan.status !== 'pending_review') {
    const message = `The application is already decided: its loan is ${loan.status}; sim review loans lists all.`;
    return refuse('loan_not_active', { status: loan.status }, message);
  }
  const { loanId, reason: given, onChain } = input;
  if (!input.approve)
    return allowSilently(draft(loan.wallet, { kind: 'loan.denied', loanId, reason: given }, []));
  const excess = onChain === null ? null : excessWords(state, loan, onChain, env);
  const reason = given === null || excess === null ? (given ?? excess) : `${given}; ${excess}`;
  const dueAtMs = env.nowMs + loan.durationDays * DAY_MS;
  return allowSilently(
    draft(loan.wallet, { kind: 'loan.approved', loanId, dueAtMs, reason }, [
      debit('credit_line', loan.wallet, 'USDC', loan.amountBase),
      credit('checking', loan.wallet, 'USDC', loan.amountBase),
    ]),
  );
}

/** Approves an application if and only if it and the debt are within the current credit limit. */
export function reviewByScore(
  state: State,
  input: { readonly loanId: string; readonly onChain: OnChainData },
  env: Env,
): Result<Decision<void>> {
  const loan = state.loans.get(input.loanId);
  const approve = loan !== undefined && excessWords(state, loan, input.onChain, env) === null;
  return reviewLoan(state, { ...input, approve, reason: 'decided by the score' }, env);
}
