import type { BankLimits } from './bank-limits.js';
import type { OutflowKind } from './entry.js';

/** The limits in the units of decisions: money in base units or micro-USD, rates in ppm. */
export interface BankTerms {
  readonly dailyMicro: Readonly<Record<OutflowKind, bigint>>;
  readonly ltvPpm: bigint;
  readonly collateralAprPpm: bigint;
  /** Null when collateral loans are not liquidated. */
  readonly liquidationPpm: bigint | null;
  readonly liquidationPenaltyPpm: bigint;
  readonly lateFeeBase: bigint;
  readonly lateFeePpm: bigint;
  readonly setOffPpm: bigint;
  readonly minLoanUsd: bigint;
  readonly maxLoanUsd: bigint;
  readonly minAprPpm: bigint;
  readonly maxAprPpm: bigint;
}

const millionths = (value: number): bigint => BigInt(Math.round(value * 1_000_000));

/** Converts limits to the units of decisions. */
export function bankTerms(limits: BankLimits): BankTerms {
  return {
    dailyMicro: {
      withdraw: millionths(limits.dailyWithdrawalUsd),
      x402: millionths(limits.dailyPaymentUsd),
    },
    ltvPpm: millionths(limits.maxLtv),
    collateralAprPpm: millionths(limits.collateralApr),
    liquidationPpm: limits.liquidationLtv === 0 ? null : millionths(limits.liquidationLtv),
    liquidationPenaltyPpm: millionths(limits.liquidationPenalty),
    lateFeeBase: millionths(limits.lateFeeUsd),
    lateFeePpm: millionths(limits.lateFeeRate),
    setOffPpm: millionths(limits.setOffShare),
    minLoanUsd: BigInt(limits.minLoanUsd),
    maxLoanUsd: BigInt(limits.maxLoanUsd),
    minAprPpm: millionths(limits.minApr),
    maxAprPpm: millionths(limits.maxApr),
  };
}
