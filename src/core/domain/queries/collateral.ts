import { LTV_PPM, collateralStanding } from '../collateral.js';
import { type Amount, amountOf } from '../money.js';
import type { Agent } from '../state.js';
import { decimalRate } from '../views.js';

export interface CollateralView {
  readonly limit: Amount;
  readonly borrowed: Amount;
  readonly available: Amount;
  readonly ltv_ratio: Amount;
}

/** An agent's collateral credit. `ltv_ratio` is the maximum, 0.7; `borrowed` includes interest. */
export function collateralView(agent: Agent, nowMs: number): CollateralView {
  const { limit, debt, available } = collateralStanding(agent, nowMs);
  return {
    limit: amountOf('USDC', limit),
    borrowed: amountOf('USDC', debt),
    available: amountOf('USDC', available),
    ltv_ratio: decimalRate(LTV_PPM),
  };
}
