import { BANK_LIMITS, type BankLimits } from '../../core/domain/bank-limits.js';
import type { Limits } from '../../core/limits.js';

/** Limits on callers that the model knows. */
export const CALLER_LIMITS = ['idempotencyKeys', 'loanApplications', 'openApplications'] as const;

export type CallerLimits = Pick<Limits, (typeof CALLER_LIMITS)[number]>;

/** The limits of a world that the model knows. */
export type FuzzLimits = BankLimits & CallerLimits;

export const FUZZ_LIMITS = [...Object.keys(BANK_LIMITS), ...CALLER_LIMITS] as (keyof FuzzLimits)[];
