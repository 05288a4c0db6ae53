import { customer } from '../inputs.js';
import { type Amount, type Token, amountOf } from '../money.js';
import type { Env } from '../ports.js';
import { yieldAt } from '../savings.js';
import { type State, holding } from '../state.js';
import { decimalRate, percentText } from '../views.js';
import { collateralView } from './collateral.js';

interface PerTokenView {
  readonly usdc: Amount;
  readonly sol: Amount;
}

function perToken(of: (token: Token) => bigint): PerTokenView {
  return { usdc: amountOf('USDC', of('USDC')), sol: amountOf('SOL', of('SOL')) };
}

export interface OverviewA {
  readonly wallet: string;
  readonly checking: PerTokenView;
  readonly savings: PerTokenView;
  readonly yield: { earned_usdc: Amount; earned_sol: Amount; apy: string };
  readonly collateral: {
    total_savings_usdc: Amount;
    borrowed_usdc: Amount;
    available_to_borrow_usdc: Amount;
    ltv_ratio: Amount;
  };
}

export interface OverviewB {
  readonly wallet: string;
  readonly checking: PerTokenView;
  readonly savings: PerTokenView;
  readonly yield_earned: PerTokenView;
  readonly collateral: { limit: Amount; borrowed: Amount; available: Amount };
  readonly apy: PerTokenView;
}

export type AccountOverview = OverviewA | OverviewB | (OverviewA & OverviewB);

/** Balances, earned yield, rates and collateral credit of an agent, in the published variant that is switched on. */
export function accountOverview(state: State, wallet: string, env: Env): AccountOverview {
  const agent = customer(state, wallet);
  const earned = perToken((token) => yieldAt(agent.savings[token], env.yieldIndex(token)));
  const { limit, borrowed, available, ltv_ratio } = collateralView(agent, env.nowMs);
  const common = {
    wallet,
    checking: perToken((token) => holding(agent, 'checking', token)),
    savings: perToken((token) => agent.savings[token].principalBase),
  };
  const a = {
    yield: { earned_usdc: earned.usdc, earned_sol: earned.sol, apy: percentText(env.apyPpm('USDC')) },
    collateral: {
      total_savings_usdc: common.savings.usdc,
      borrowed_usdc: borrowed,
      available_to_borrow_usdc: available,
      ltv_ratio,
    },
  };
  const b = {
    yield_earned: earned,
    collateral: { limit, borrowed, available },
    apy: { usdc: decimalRate(env.apyPpm('USDC')), sol: decimalRate(env.apyPpm('SOL')) },
  };
  switch (env.variants.overview) {
    case 'A':
      return { ...common, ...a };
    case 'B':
      return { ...common, ...b };
    case 'merged':
      return { ...common, ...a, ...b, collateral: { ...a.collateral, ...b.collateral } };
  }
}
