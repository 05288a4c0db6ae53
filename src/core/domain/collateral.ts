import { owed } from './debt.js';
import { mulDiv } from './money.js';
import { PPM } from './rates.js';
import type { BankTerms } from './bank-terms.js';
import type { Env } from './ports.js';
import type { Agent } from './state.js';

type Instant = Pick<Env, 'nowMs' | 'terms'>;

/** The maximum debt for a USDC principal, in base units: floor(0.7 × principal) at the published LTV. */
export function collateralLimit(principalBase: bigint, { ltvPpm }: BankTerms): bigint {
  return mulDiv(principalBase, ltvPpm, PPM, 'floor');
}

/** Limit, debt with interest, and the amount available to borrow, in base units. */
export function collateralStanding(
  agent: Agent,
  { nowMs, terms }: Instant,
): { limit: bigint; debt: bigint; available: bigint } {
  const limit = collateralLimit(agent.savings.USDC.principalBase, terms);
  const debt = agent.collateralDebt === null ? 0n : owed(agent.collateralDebt, nowMs);
  return { limit, debt, available: limit > debt ? limit - debt : 0n };
}

/** The USDC principal that may be withdrawn before the limit falls below the debt, in base units. */
export function maxWithdrawable(agent: Agent, env: Instant): bigint {
  const { debt } = collateralStanding(agent, env);
  const principal = agent.savings.USDC.principalBase;
  // The smallest principal p with floor(LTV × p) >= debt is ceil(debt / LTV).
  const needed = mulDiv(debt, PPM, env.terms.ltvPpm, 'ceil');
  return principal > needed ? principal - needed : 0n;
}
