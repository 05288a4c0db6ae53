import { owed } from './debt.js';
import { mulDiv } from './money.js';
import { PPM } from './rates.js';
import type { Agent } from './state.js';

/** Collateral loans go up to 70 % of the USDC savings. Source: service description, Limits. */
export const LTV_PPM = 700_000n;

/** Collateral loans cost 8 % a year. Source: service description, Limits. */
export const COLLATERAL_APR_PPM = 80_000n;

/** What a USDC principal allows to owe, in base units: floor(0.7 × principal). */
export function collateralLimit(principalBase: bigint): bigint {
  return mulDiv(principalBase, LTV_PPM, PPM, 'floor');
}

/** Limit, debt with interest, and what may still be borrowed, in base units. */
export function collateralStanding(
  agent: Agent,
  nowMs: number,
): { limit: bigint; debt: bigint; available: bigint } {
  const limit = collateralLimit(agent.savings.USDC.principalBase);
  const debt = agent.collateralDebt === null ? 0n : owed(agent.collateralDebt, nowMs);
  return { limit, debt, available: limit > debt ? limit - debt : 0n };
}

/** The USDC principal that may leave without bringing the limit under the debt, in base units. */
export function maxWithdrawable(agent: Agent, nowMs: number): bigint {
  const { debt } = collateralStanding(agent, nowMs);
  const principal = agent.savings.USDC.principalBase;
  // The smallest principal p with floor(0.7 p) >= debt is ceil(debt / 0.7).
  const needed = mulDiv(debt, PPM, LTV_PPM, 'ceil');
  return principal > needed ? principal - needed : 0n;
}
