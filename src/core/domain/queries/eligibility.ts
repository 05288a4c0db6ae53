import { type CreditDecision, evidenceOf, scoreOf } from '../credit/score.js';
import { MAX_DURATION_DAYS, MAX_LTV_PPM, MIN_LOAN_BASE, maxLoanBase } from '../credit/terms.js';
import { customer } from '../inputs.js';
import { type Amount, type Base, amountOf } from '../money.js';
import type { Env, OnChainData } from '../ports.js';
import type { State } from '../state.js';
import { decimalRate } from '../views.js';

export interface EligibilityView {
  readonly eligible: boolean;
  readonly decision: CreditDecision;
  readonly maxAmount: Amount;
  readonly terms: { apr: Amount; maxLTV: Amount; maxDuration: number };
  readonly requirements: readonly string[];
}

export interface EligibilityInput {
  readonly wallet: string;
  readonly amount: Base | null;
  readonly onChain: OnChainData;
}

/** Whether an application would qualify, on which terms, and what is missing. */
export function eligibility(state: State, input: EligibilityInput, env: Env): EligibilityView {
  const agent = customer(state, input.wallet);
  const score = scoreOf(evidenceOf(state, agent, input.onChain, env));
  const max = maxLoanBase(state, agent, score);
  const lacking: string[] = [];
  if (score.decision === 'DENY') lacking.push('Raise the credit score: its decision is DENY.');
  else if (max === 0n)
    lacking.push('Repay open credit lines: less than 100 USD of the credit limit is left.');
  if (input.amount !== null && input.amount < MIN_LOAN_BASE) lacking.push('Ask for at least 100 USD.');
  if (input.amount !== null && input.amount > max && max > 0n) {
    lacking.push(`Ask for at most ${amountOf('USDC', max).toString()} USD.`);
  }
  const advice =
    score.decision === 'APPROVE'
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
      maxLTV: decimalRate(MAX_LTV_PPM),
      maxDuration: MAX_DURATION_DAYS,
    },
    requirements: [...lacking, ...advice],
  };
}
