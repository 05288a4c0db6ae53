import { creditStanding } from '../credit/score.js';
import { MAX_DURATION_DAYS, undecided } from '../credit/terms.js';
import { customer } from '../inputs.js';
import { type Base, amountOf, baseOfUsd } from '../money.js';
import type { Env, OnChainData } from '../ports.js';
import type { State } from '../state.js';
import { decimalRate } from '../views.js';

export interface EligibilityInput {
  readonly wallet: string;
  readonly amount: Base | null;
  readonly onChain: OnChainData;
}

/** Whether an application would qualify, its terms, and the missing requirements. */
export function eligibility(state: State, input: EligibilityInput, env: Env) {
  const agent = customer(state, input.wallet);
  const { score, limitBase, owedBase } = creditStanding(state, agent, input.onChain, env);
  const open = undecided(state, agent);
  const appliedBase = open.reduce((sum, { amountBase }) => sum + amountBase, 0n);
  const mayApply = open.length < env.maxOpenApplications;
  const left = limitBase - owedBase - appliedBase;
  const { minLoanUsd, ltvPpm } = env.terms;
  const minBase = baseOfUsd(minLoanUsd);
  const max = mayApply && left >= minBase ? left : 0n;
  const applied = `open applications for ${amountOf('USDC', appliedBase).toString()} USD`;
  const lacking: string[] = [];
  const hasDefaulted = agent.repayment.defaulted > 0;
  if (hasDefaulted) lacking.push('This agent gets no other credit line: one of its loans has defaulted.');
  else if (score.decision === 'DENY') lacking.push('Raise the credit score: its decision is DENY.');
  else if (!mayApply)
    lacking.push(`Wait for a decision: ${open.length} applications are open, and no more may be.`);
  else if (max === 0n && left + appliedBase >= minBase)
    lacking.push(`Wait for a decision: ${applied} leave less than ${minLoanUsd} USD of the credit limit.`);
  else if (max === 0n)
    lacking.push(`Repay open credit lines: less than ${minLoanUsd} USD of the credit limit is left.`);
  if (input.amount !== null && input.amount < minBase) lacking.push(`Ask for at least ${minLoanUsd} USD.`);
  if (input.amount !== null && input.amount > max && max > 0n) {
    const counted = appliedBase === 0n ? '' : `; ${applied} are counted`;
    lacking.push(`Ask for at most ${amountOf('USDC', max).toString()} USD${counted}.`);
  }
  const advice =
    hasDefaulted || score.decision === 'APPROVE'
      ? []
      : [
          ...(agent.identity.x ? [] : ['Have a human operator link an X account.']),
          ...(agent.identity.github ? [] : ['Have a human operator link a GitHub account.']),
        ];
  return {
    eligible: lacking.length === 0,
    decision: score.decision,
    maxAmount: amountOf('USDC', max),
    terms: {
      apr: decimalRate(score.aprPpm),
      maxLTV: decimalRate(ltvPpm),
      maxDuration: MAX_DURATION_DAYS,
    },
    requirements: [...lacking, ...advice],
  };
}
