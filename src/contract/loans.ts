import { z } from 'zod';
import { MAX_DURATION_DAYS } from '../core/domain/credit/terms.js';
import { PURPOSES, type Variants } from '../core/domain/variants.js';
import { amount, optionalAmount, token, txSignature } from './common.js';
import { LOAN_STATUSES } from '../core/domain/state.js';

/** The body of a loan application, for the variants of purposes and duration. */
export function loanApplicationBody(variants: Pick<Variants, 'purposes' | 'duration'>) {
  const days = z.int().min(1).max(MAX_DURATION_DAYS).meta({ description: 'Days' });
  return z
    .object({
      amount: amount('Loan amount in USD'),
      purpose: z.enum(PURPOSES[variants.purposes]),
      duration: variants.duration === 'required' ? days : days.optional(),
      collateral: z
        .object({ type: token.optional(), amount: optionalAmount('Of the collateral') })
        .optional(),
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
    createdAt: z.string(),
    duration: z.int(),
    dueDate: z.string().nullable(),
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
      nextPayment: z.object({ loanId: z.string(), amount: z.number(), dueDate: z.string() }).nullable(),
    })
    .meta({ id: 'LoanSummary' }),
});

export const loanParams = z.object({ id: z.string() });
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
