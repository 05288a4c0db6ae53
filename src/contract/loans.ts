import { z } from 'zod';
import { DEFAULT_DURATION_DAYS, MAX_DURATION_DAYS } from '../core/domain/credit/terms.js';
import type { BankLimits } from '../core/domain/bank-limits.js';
import { PURPOSES, type Variants } from '../core/domain/variants.js';
import { AMOUNT, amount, instant, optionalAmount, token, txSignature } from './common.js';
import { LOAN_STATUSES } from '../core/domain/state.js';

/** The body of a loan application, for the variants of purposes and duration. */
export function loanApplicationBody(
  variants: Pick<Variants, 'purposes' | 'duration'>,
  { minLoanUsd, maxLoanUsd }: BankLimits,
) {
  const days = z
    .int()
    .min(1)
    .max(MAX_DURATION_DAYS)
    .meta({ description: 'Days', examples: [60] });
  return z
    .object({
      amount: amount('Loan amount in USD', {
        minimum: minLoanUsd,
        maximum: maxLoanUsd,
        examples: [Math.min(Math.max(250, minLoanUsd), maxLoanUsd)],
      }),
      purpose: z.enum(PURPOSES[variants.purposes]),
      duration:
        variants.duration === 'required' ? days : days.optional().meta({ default: DEFAULT_DURATION_DAYS }),
      collateral: z
        .object({
          type: token.optional(),
          amount: optionalAmount('Amount of the collateral', { ...AMOUNT, examples: [2] }),
        })
        .optional()
        .meta({ description: 'The collateral that is offered' }),
    })
    .meta({ id: 'LoanApplication' });
}

export const loanApplicationResponse = z
  .object({
    application: z.object({
      id: z.string(),
      status: z.enum(['approved', 'pending_review', 'denied']),
      amount: z.number(),
      apr: z.number(),
      terms: z.object({ duration: z.int(), repayment: z.literal('bullet'), purpose: z.string() }),
    }),
  })
  .meta({ id: 'LoanApplicationResult' });

const loan = z
  .object({
    id: z.string(),
    status: z.enum(LOAN_STATUSES),
    principal: z.number(),
    outstanding: z.number(),
    apr: z.number(),
    purpose: z.string(),
    createdAt: instant,
    duration: z.int(),
    dueDate: instant.nullable(),
  })
  .meta({ id: 'Loan' });

export const loanResponse = z.object({ loan });
export const loansResponse = z.object({
  loans: z.array(loan),
  summary: z
    .object({
      totalLoans: z.int(),
      totalActive: z.int(),
      totalOutstanding: z.number(),
      nextPayment: z.object({ loanId: z.string(), amount: z.number(), dueDate: instant }).nullable(),
    })
    .meta({ id: 'LoanSummary' }),
});

export const loanParams = z.object({
  id: z.string().meta({ description: 'The id in the response to the application' }),
});
export const repayBody = z.object({ amount: amount('USD to pay'), txSignature: txSignature.optional() });
export const repayResponse = z
  .object({
    payment: z.object({
      id: z.string(),
      amount: z.number(),
      remainingBalance: z.number(),
      status: z.literal('completed'),
    }),
  })
  .meta({ id: 'Payment' });
