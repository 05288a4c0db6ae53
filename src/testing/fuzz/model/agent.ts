import { millionths } from './amounts.js';
import { DailyLimit } from './daily-limit.js';
import { type Debt, noDebt } from './debt.js';
import { History } from './history.js';
import type { Loan } from './loan.js';
import type { ModelToken, ModelConfig } from './types.js';
import { NO_SAVINGS, type Savings } from './savings.js';

export interface Agent {
  readonly wallet: string;
  readonly sinceMs: number;
  links: { readonly x: boolean; readonly github: boolean };
  readonly checking: Record<ModelToken, bigint>;
  readonly savings: Record<ModelToken, Savings>;
  collateral: Debt;
  readonly withdrawals: DailyLimit;
  readonly payments: DailyLimit;
  readonly history: History;
  /** Oldest first. */
  readonly loans: Loan[];
}

/** A new customer without money. */
export function newAgent(wallet: string, sinceMs: number, { variants, limits }: ModelConfig): Agent {
  return {
    wallet,
    sinceMs,
    links: { x: false, github: false },
    checking: { USDC: 0n, SOL: 0n },
    savings: { USDC: NO_SAVINGS, SOL: NO_SAVINGS },
    collateral: noDebt(millionths(limits.collateralApr)),
    withdrawals: new DailyLimit(variants.dailyWindow, millionths(limits.dailyWithdrawalUsd)),
    payments: new DailyLimit(variants.dailyWindow, millionths(limits.dailyPaymentUsd)),
    history: new History(wallet, variants.historyTypes),
    loans: [],
  };
}

/** A deep copy: changes to one do not affect the other. */
export function copyAgent(agent: Agent): Agent {
  return {
    ...agent,
    checking: { ...agent.checking },
    savings: { ...agent.savings },
    withdrawals: agent.withdrawals.copy(),
    payments: agent.payments.copy(),
    history: agent.history.copy(),
    loans: agent.loans.slice(),
  };
}
