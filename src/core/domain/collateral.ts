import { owed } from './debt.js';
import { mulDiv } from './money.js';
import { PPM } from './rates.js';
import type { Agent } from './state.js';

/** Maximum LTV of collateral loans: 70 % of the USDC savings. Source: service description, Limits. */
export const LTV_PPM = 700_000n;

/** APR of collateral loans: 8 %. Source: service description, Limits. */
export const COLLATERAL_APR_PPM = 80_000n;

/** The most that a USDC principal allows an agent to owe, in base units: floor(0.7 × principal). */
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

/** The USDC principal that may be withdrawn before the limit falls below the debt, in base units. */
export function maxWithdrawable(agent: Agent, nowMs: number): bigint {
  const { debt } = collateralStanding(agent, nowMs);
  const principal = agent.savings.USDC.principalBase;
  // The smallest principal p with floor(0.7 p) >= debt is ceil(debt / 0.7).
  const needed = mulDiv(debt, PPM, LTV_PPM, 'ceil');
  return principal > needed ? principal - needed : 0n;
}
