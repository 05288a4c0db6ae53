import { customer } from '../inputs.js';
import { amountOf } from '../money.js';
import type { Env } from '../ports.js';
import { yieldAt } from '../savings.js';
import { type State, holding } from '../state.js';
import { decimalRate, percentText } from '../views.js';
import { collateralView } from './collateral.js';

/** Balances, earned yield, rates and collateral credit of an agent, in the configured published variant. */
export function accountOverview(state: State, wallet: string, env: Env) {
  const agent = customer(state, wallet);
  const { USDC, SOL } = agent.savings;
  const earned = {
    usdc: amountOf('USDC', yieldAt(USDC, env.yieldIndex('USDC'))),
    sol: amountOf('SOL', yieldAt(SOL, env.yieldIndex('SOL'))),
  };
  const checking = {
    usdc: amountOf('USDC', holding(agent, 'checking', 'USDC')),
    sol: amountOf('SOL', holding(agent, 'checking', 'SOL')),
  };
  const savings = { usdc: amountOf('USDC', USDC.principalBase), sol: amountOf('SOL', SOL.principalBase) };
  const apyPpm = env.apyPpm('USDC');
  const { limit, borrowed, available, ltv_ratio } = collateralView(agent, env);
  const yieldA = { earned_usdc: earned.usdc, earned_sol: earned.sol, apy: percentText(apyPpm) };
  const total_savings_usdc = savings.usdc;
  const available_to_borrow_usdc = available;
  const borrowed_usdc = borrowed;
  const collateralA = { total_savings_usdc, borrowed_usdc, available_to_borrow_usdc, ltv_ratio };
  if (env.variants.overview === 'A')
    return { wallet, checking, savings, yield: yieldA, collateral: collateralA };
  const apy = { usdc: decimalRate(apyPpm), sol: decimalRate(env.apyPpm('SOL')) };
  const collateralB = { limit, borrowed, available };
  if (env.variants.overview === 'B') {
    return { wallet, checking, savings, yield_earned: earned, collateral: collateralB, apy };
  }
  const collateral = { ...collateralA, ...collateralB };
  return { wallet, checking, savings, yield: yieldA, yield_earned: earned, collateral, apy };
}
