import { DEFAULT_DURATION_DAYS, undecided } from '../credit/terms.js';
import { creditStanding } from '../credit/score.js';
import { type Decision, allow } from '../decision.js';
import { draft } from '../entry.js';
import { loanId } from '../ids.js';
import { customer, parseToken } from '../inputs.js';
import { amountOf, baseOfUsd, parseAmount } from '../money.js';
import type { Env, OnChainData } from '../ports.js';
import { type Result, ok, refuse } from '../result.js';
import type { Loan, LoanStatus, State } from '../state.js';
import { decimalRate } from '../views.js';

export interface LoanApplicationInput {
  readonly wallet: string;
  readonly amount: unknown;
  readonly purpose: string;
  /** Days, 1 to 90. */
  readonly duration?: number | undefined;
  readonly collateral?: { readonly type?: string | undefined; readonly amount?: unknown } | undefined;
  readonly onChain: OnChainData;
}

/** The published status of an application: approved, pending_review or denied. */
function applicationStatus(status: LoanStatus): 'approved' | 'pending_review' | 'denied' {
  return status === 'denied' || status === 'pending_review' ? status : 'approved';
}

export function applicationView(loan: Loan) {
  return {
    application: {
      id: loan.id,
      status: applicationStatus(loan.status),
      amount: amountOf('USDC', loan.amountBase),
      apr: decimalRate(loan.aprPpm),
      terms: { duration: loan.durationDays, repayment: 'bullet', purpose: loan.purpose },
    },
  };
}

/** Applies for a credit line; the reviewer decides unless the score's decision is DENY. Returns the loan's id. */
export function applyForLoan(state: State, input: LoanApplicationInput, env: Env): Result<Decision<string>> {
  const { collateral } = input;
  const pledge = parseToken(collateral?.type ?? 'USDC');
  if (!pledge.ok) return pledge;
  const amount = parseAmount(input.amount, 'USDC');
  if (!amount.ok) return amount;
  const pledged = collateral?.amount ?? null;
  const pledgedBase = pledged === null ? ok(null) : parseAmount(pledged, pledge.value);
  if (!pledgedBase.ok) return pledgedBase;
  const [min, max] = [baseOfUsd(env.terms.minLoanUsd), baseOfUsd(env.terms.maxLoanUsd)];
  if (amount.value < min || amount.value > max) {
    const { minLoanUsd, maxLoanUsd } = env.terms;
    return refuse(
      'loan_amount_out_of_range',
      { min: amountOf('USDC', min), max: amountOf('USDC', max), requested: amountOf('USDC', amount.value) },
      `Credit lines run from ${minLoanUsd.toLocaleString('en')} to ${maxLoanUsd.toLocaleString('en')} USD.`,
    );
  }
  const agent = customer(state, input.wallet);
  const open = undecided(state, agent).length;
  if (open >= env.maxOpenApplications) {
    return refuse('too_many_applications', {
      open_applications: open,
      max_open_applications: env.maxOpenApplications,
    });
  }
  const { score, limitBase, owedBase } = creditStanding(state, agent, input.onChain, env);
  const timing = env.reviewTiming();
  const id = loanId(env.salt, state.seq + 1);
  const facts = {
    kind: 'loan.applied',
    loanId: id,
    amountBase: amount.value,
    aprPpm: score.aprPpm,
    purpose: input.purpose,
    durationDays: input.duration ?? DEFAULT_DURATION_DAYS,
    collateral:
      collateral === undefined ? null : { type: collateral.type ?? null, amount: pledged as number | null },
    status: score.decision === 'DENY' ? 'denied' : 'pending_review',
    scoreApproves: owedBase + amount.value <= limitBase,
    decideAtMs: timing.kind === 'at' ? timing.atMs : null,
  } as const;
  return allow(draft(input.wallet, facts, []), () => id);
}
