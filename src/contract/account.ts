import { z } from 'zod';
import type { BankLimits } from '../core/domain/bank-limits.js';
import { historyTypes } from '../core/domain/history.js';
import type { Variants } from '../core/domain/variants.js';
import {
  amount,
  balanceChange,
  instant,
  queryInteger,
  token,
  tokenName,
  txSignature,
  usdcAndSol,
  wallet,
} from './common.js';

const overviewBase = { wallet: z.string(), checking: usdcAndSol, savings: usdcAndSol };
const yieldA = z.object({ earned_usdc: z.number(), earned_sol: z.number(), apy: z.string() });
const collateralA = {
  total_savings_usdc: z.number(),
  borrowed_usdc: z.number(),
  available_to_borrow_usdc: z.number(),
  ltv_ratio: z.number(),
};
const collateralB = { limit: z.number(), borrowed: z.number(), available: z.number() };

/** The account overview with the members of both published variants. */
export const mergedOverview = z
  .object({
    ...overviewBase,
    yield: yieldA,
    yield_earned: usdcAndSol,
    collateral: z.object({ ...collateralA, ...collateralB }),
    apy: usdcAndSol,
  })
  .meta({ id: 'AccountOverview' });

/** The account overview in the configured published variant. */
export function overviewResponse(variant: Variants['overview']) {
  const a = { yield: yieldA, collateral: z.object(collateralA) };
  const b = { yield_earned: usdcAndSol, collateral: z.object(collateralB), apy: usdcAndSol };
  switch (variant) {
    case 'A':
      return z.object({ ...overviewBase, ...a }).meta({ id: 'AccountOverview' });
    case 'B':
      return z.object({ ...overviewBase, ...b }).meta({ id: 'AccountOverview' });
    case 'merged':
      return mergedOverview;
  }
}

export const depositBody = z.object({
  amount: amount('What the transaction moved'),
  token,
  tx_signature: txSignature,
});
export const depositResponse = z.object({
  success: z.literal(true),
  deposit: z.object({
    amount: z.number(),
    token: tokenName,
    tx_signature: z.string(),
    verified: z.literal(true),
  }),
  balance: balanceChange,
  verification: z.object({ slot: z.int(), blockTime: z.int(), sender: z.string(), recipient: z.string() }),
});

export const withdrawBody = z.object({
  amount: amount('Amount and token to withdraw'),
  token,
  destination: wallet
    .optional()
    .meta({ description: "Solana address, base58; defaults to the agent's own wallet" }),
});
export const withdrawResponse = z.object({
  success: z.literal(true),
  withdrawal: z.object({
    id: z.string(),
    amount: z.number(),
    token: tokenName,
    destination: z.string(),
    status: z.enum(['pending', 'completed', 'failed']),
    tx_signature: z.string().nullable(),
  }),
  balance: balanceChange,
});

/** The query of the history; `no-credit` omits borrow and repay. */
export function transactionsQuery(variant: Variants['historyTypes'], limits: BankLimits) {
  const { historyRows } = limits;
  return z.object({
    limit: queryInteger({
      min: 1,
      max: historyRows,
      fallback: Math.min(50, historyRows),
      description: 'Page size',
    }),
    offset: queryInteger({ min: 0, max: 1e15, fallback: 0, description: 'Records to skip, newest first' }),
    type: z.enum(historyTypes(variant, limits)).optional().meta({ description: 'Records of one type only' }),
    token: tokenName.optional().meta({ description: 'Records of one token only' }),
  });
}

export const transactionsResponse = (limits: BankLimits) =>
  z.object({
    transactions: z.array(
      z
        .object({
          id: z.string(),
          type: z.enum(historyTypes('all', limits)),
          token: tokenName,
          amount: z.number(),
          status: z.enum(['pending', 'completed', 'failed']),
          tx_signature: z.string().nullable(),
          counterparty: z.string().nullable(),
          memo: z.string().nullable(),
          created_at: instant,
          balance_after: z.number(),
        })
        .meta({ id: 'Transaction' }),
    ),
    pagination: z.object({ limit: z.int(), offset: z.int(), total: z.int() }),
  });

export const savingsBody = z.object({ amount: amount('Amount and token to move'), token });
export const savingsDepositResponse = z.object({
  success: z.literal(true),
  savings_deposit: z.object({ id: z.string(), amount: z.number(), token: tokenName }),
  checking: balanceChange,
  savings: balanceChange,
});
export const savingsWithdrawResponse = z.object({
  success: z.literal(true),
  savings_withdrawal: z.object({
    id: z.string(),
    amount: z.number(),
    token: tokenName,
    yield_included: z.number(),
  }),
  checking: balanceChange,
  savings: balanceChange,
});

export const yieldResponse = z
  .object({
    protocol: z.string(),
    rates: z.array(z.object({ token: tokenName, apy: z.string(), apyDecimal: z.number() })),
  })
  .meta({ id: 'YieldRates' });

const collateral = z.object({
  limit: z.number(),
  borrowed: z.number(),
  available: z.number(),
  ltv_ratio: z.number(),
});
export const borrowBody = z.object({ amount: amount('USDC to borrow') });
export const borrowResponse = z.object({
  success: z.literal(true),
  loan: z.object({ id: z.string(), amount: z.number(), token: z.literal('USDC'), apr: z.number() }),
  collateral,
  balance: balanceChange,
});
export const collateralRepayBody = z.object({ amount: amount('USDC to repay') });
export const collateralRepayResponse = z.object({
  success: z.literal(true),
  repayment: z.object({
    id: z.string(),
    amount: z.number().meta({ description: 'The amount charged: at most the debt' }),
    requested: z.number(),
    principal: z.number(),
    interest: z.number(),
    remaining: z.number(),
  }),
  collateral,
  balance: balanceChange,
});
