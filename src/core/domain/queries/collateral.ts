import { collateralStanding } from '../collateral.js';
import { amountOf } from '../money.js';
import type { Env } from '../ports.js';
import type { Agent } from '../state.js';
import { decimalRate } from '../views.js';

/** An agent's collateral credit. `ltv_ratio` is the maximum; `borrowed` includes interest. */
export function collateralView(agent: Agent, env: Pick<Env, 'nowMs' | 'terms'>) {
  const { limit, debt, available } = collateralStanding(agent, env);
  return {
    limit: amountOf('USDC', limit),
    borrowed: amountOf('USDC', debt),
    available: amountOf('USDC', available),
    ltv_ratio: decimalRate(env.terms.ltvPpm),
  };
}
