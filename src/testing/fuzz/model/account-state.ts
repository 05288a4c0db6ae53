import { collateralOf, unlockedBase } from './account.js';
import { NOTHING } from './amounts.js';
import type { Books } from './books.js';
import { dailyLimit } from './daily-limit.js';
import { outstandingBase } from './loan.js';
import type { ModelToken, AccountState } from './types.js';
import { earned } from './savings.js';
import { limitLeftBase, ratingOf } from './score.js';

/** How many of the latest records to include. */
const LATEST = 12;

const NOBODY: AccountState = {
  isCustomer: false,
  checking: NOTHING,
  savings: NOTHING,
  earned: NOTHING,
  collateralLimitBase: 0n,
  collateralDebtBase: 0n,
  availableToBorrowBase: 0n,
  unlockedSavingsBase: 0n,
  withdrawalLimitMicroUsd: 0n,
  withdrawnMicroUsd: 0n,
  paymentLimitMicroUsd: 0n,
  paidMicroUsd: 0n,
  hasUnderWay: false,
  rating: '',
  recordTypes: [],
  loans: [],
  creditLeftBase: 0n,
};

export function accountStateOf(books: Books, wallet: string): AccountState {
  const agent = books.agents.get(wallet);
  if (agent === undefined) return NOBODY;
  const { savings, checking, loans, history } = agent;
  const { limitBase, debtBase, leftBase } = collateralOf(agent, books);
  const withdrawals = dailyLimit(books, agent, 'withdraw');
  const payments = dailyLimit(books, agent, 'x402_payment');
  const yielded = (token: ModelToken) => earned(savings[token], books.index(token)).base;
  return {
    isCustomer: true,
    checking: { ...checking },
    savings: { USDC: savings.USDC.principalBase, SOL: savings.SOL.principalBase },
    earned: { USDC: yielded('USDC'), SOL: yielded('SOL') },
    collateralLimitBase: limitBase,
    collateralDebtBase: debtBase,
    availableToBorrowBase: leftBase,
    withdrawalLimitMicroUsd: withdrawals.limitMicroUsd,
    withdrawnMicroUsd: withdrawals.usedMicroUsd,
    paymentLimitMicroUsd: payments.limitMicroUsd,
    paidMicroUsd: payments.usedMicroUsd,
    loans: loans.map((loan) => ({
      id: loan.id,
      status: loan.status,
      outstandingBase: outstandingBase(loan, books.nowMs),
      dueAtMs: loan.dueAtMs,
    })),
    hasUnderWay: [...books.waiting.values()].some(
      (each) => each.kind === 'outflow' && each.at.wallet === wallet && each.transfer !== null,
    ),
    // Computed on access, which is rare.
    get recordTypes() {
      return history.slice(-LATEST).map(({ type }) => type);
    },
    get rating() {
      return ratingOf(books, agent);
    },
    get unlockedSavingsBase() {
      return unlockedBase(agent, 'USDC', books);
    },
    get creditLeftBase() {
      return limitLeftBase(books, agent);
    },
  };
}
