import { z } from 'zod';
import { queryAmount } from './common.js';

const decision = z.enum(['APPROVE', 'APPROVE_WITH_CONDITIONS', 'DENY']);

export const profileResponse = z
  .object({
    wallet: z.string(),
    creditScore: z.object({
      score: z.int(),
      pdBand: z.string(),
      riskCategory: z.enum(['Low', 'Medium', 'Elevated', 'High']),
      htm: z.number(),
      creditLimit: z.number(),
      suggestedAPR: z.number(),
      decision,
      subscores: z.record(z.string(), z.number()),
    }),
    onChainData: z.object({
      solBalance: z.number(),
      totalTransactions: z.int(),
      accountAgeDays: z.int().nullable(),
    }),
    identity: z.object({ wallet: z.boolean(), x: z.boolean(), github: z.boolean() }),
  })
  .meta({ id: 'AgentProfile' });

/** The query of an eligibility check, for a list of allowed purposes. */
export const eligibilityQuery = (purposes: readonly string[]) =>
  z.object({
    amount: queryAmount('Requested amount in USD').optional(),
    purpose: z.enum(purposes).optional().meta({ description: 'Purpose of the loan' }),
  });

export const eligibilityResponse = z
  .object({
    eligible: z.boolean(),
    decision,
    maxAmount: z.number(),
    terms: z.object({ apr: z.number(), maxLTV: z.number(), maxDuration: z.int() }),
    requirements: z.array(z.string()),
  })
  .meta({ id: 'EligibilityResult' });
