import { collateralStanding } from '../collateral.js';
import { type Amount, amountOf } from '../money.js';
import type { Env } from '../ports.js';
import type { Agent } from '../state.js';
import { decimalRate } from '../views.js';

export interface CollateralView {
  readonly limit: Amount;
  readonly borrowed: Amount;
  readonly available: Amount;
  readonly ltv_ratio: Amount;
}

/** An agent's collateral credit. `ltv_ratio` is the maximum; `borrowed` includes interest. */
export function collateralView(agent: Agent, env: Pick<Env, 'nowMs' | 'terms'>): CollateralView {
  const { limit, debt, available } = collateralStanding(agent, env);
  return {
    limit: amountOf('USDC', limit),
    borrowed: amountOf('USDC', debt),
    available: amountOf('USDC', available),
    ltv_ratio: decimalRate(env.terms.ltvPpm),
  };
}
