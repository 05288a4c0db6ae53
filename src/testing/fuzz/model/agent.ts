import { type Debt, noDebt } from './debt.js';
import type { HistoryRecord } from './history.js';
import type { Loan } from './loan.js';
import { NO_SAVINGS, type Savings } from './savings.js';
import type { ModelToken } from './types.js';

/** The operations with a daily limit, by the type of their record. */
export type Spending = 'withdraw' | 'x402_payment';

/** One use of a daily limit, in millionths of a USD. */
export interface Use {
  readonly atMs: number;
  readonly microUsd: bigint;
}

/** A customer. Records, uses and loans are oldest first, and immutable. */
export interface Agent {
  readonly wallet: string;
  readonly sinceMs: number;
  links: { readonly x: boolean; readonly github: boolean };
  readonly checking: Record<ModelToken, bigint>;
  readonly savings: Record<ModelToken, Savings>;
  collateral: Debt;
  /** What was used of the two daily limits. */
  readonly uses: Record<Spending, readonly Use[]>;
  readonly history: HistoryRecord[];
  readonly loans: Loan[];
}

/** A new customer without money. `aprPpm` is the rate of collateral loans. */
export function newAgent(wallet: string, sinceMs: number, aprPpm: bigint): Agent {
  return {
    wallet,
    sinceMs,
    links: { x: false, github: false },
    checking: { USDC: 0n, SOL: 0n },
    savings: { USDC: NO_SAVINGS, SOL: NO_SAVINGS },
    collateral: noDebt(aprPpm),
    uses: { withdraw: [], x402_payment: [] },
    history: [],
    loans: [],
  };
}

/** A copy: changes to one do not affect the other. */
export function copyAgent(agent: Agent): Agent {
  return {
    ...agent,
    checking: { ...agent.checking },
    savings: { ...agent.savings },
    uses: { ...agent.uses },
    history: agent.history.slice(),
    loans: agent.loans.slice(),
  };
}
