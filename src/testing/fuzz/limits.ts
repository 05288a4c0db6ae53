import { BANK_LIMITS, type BankLimits } from '../../core/domain/bank-limits.js';
import type { CallerLimits } from './model/types.js';

const CALLER_LIMITS: readonly (keyof CallerLimits)[] = [
  'idempotencyKeys',
  'loanApplications',
  'openApplications',
];

export type FuzzLimits = BankLimits & CallerLimits;

export const FUZZ_LIMITS = [...Object.keys(BANK_LIMITS), ...CALLER_LIMITS] as (keyof FuzzLimits)[];
