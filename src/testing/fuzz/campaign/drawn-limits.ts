import fc from 'fast-check';
import { PUBLISHED_LIMITS } from '../../../core/domain/bank-limits.js';
import type { FuzzLimits } from '../limits.js';
import { type Draw, UNCONFIGURED, composed } from '../draw.js';

/** Values worth trying in addition to the default: next to the ends of the range, and some that divide badly. */
const VALUES: Readonly<
  Record<Exclude<keyof FuzzLimits, keyof typeof PAIRS | 'maxLoanUsd' | 'maxApr' | 'liquidationLtv'>, number[]>
> = {
  dailyWithdrawalUsd: [0, 0.000001, 1, 50.5, 333.333333, 1e9],
  dailyPaymentUsd: [0, 0.000001, 1, 50.5, 333.333333, 1e9],
  maxLtv: [0.000001, 0.1, 0.333333, 0.999999, 1],
  collateralApr: [0, 0.000001, 0.365, 10],
  liquidationPenalty: [0.000001, 0.05, 1],
  lateFeeUsd: [0.000001, 25, 1e6],
  lateFeeRate: [0.000001, 0.05, 1],
  setOffShare: [0.000001, 0.333333, 1],
  tokenSeconds: [1, 60, 86_399, 31_536_000],
  challengeSeconds: [1, 59, 86_400],
  requestSeconds: [1, 60, 31_536_000],
  historyRows: [1, 2, 49, 51, 10_000],
  idempotencyKeys: [1, 2, 5],
  loanApplications: [1, 2, 5],
  openApplications: [1, 2, 10],
};
/** Pairs of a minimum and a maximum limit, by the minimum. */
const PAIRS = {
  minLoanUsd: [
    { minLoanUsd: 1, maxLoanUsd: 1 },
    { minLoanUsd: 1, maxLoanUsd: 7 },
    { minLoanUsd: 99, maxLoanUsd: 10_001 },
    { minLoanUsd: 100, maxLoanUsd: 1_000_000 },
  ],
  minApr: [
    { minApr: 0, maxApr: 0 },
    { minApr: 0.1, maxApr: 0.100001 },
    { minApr: 0, maxApr: 10 },
    { minApr: 0.333333, maxApr: 0.777777 },
  ],
} as const;

/** The value in half of all draws, otherwise undefined. */
function sometimes<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined, freq: 2 });
}

/**
 * Draws limits of the bank and on callers from a seed and a number. Each is the default in half of all draws. Limits that are passed in
 * remain, together with the other end of their range.
 */
export function drawnLimits(
  { seed, number }: { readonly seed: number; readonly number: number },
  fixed: Partial<FuzzLimits> = {},
): Partial<FuzzLimits> {
  const limits = composed((draw) => drawLimits(draw, fixed));
  const [drawn = {}] = fc.sample(limits, {
    ...UNCONFIGURED,
    seed,
    path: String(number),
    numRuns: 1,
  });
  return drawn;
}

function drawLimits(draw: Draw, fixed: Partial<FuzzLimits>): Partial<FuzzLimits> {
  const limits: Partial<FuzzLimits> = {};
  for (const [name, values] of Object.entries(VALUES)) {
    const value = draw(sometimes(fc.constantFrom(...values)));
    if (value !== undefined) Object.assign(limits, { [name]: value });
  }
  for (const pairs of Object.values(PAIRS)) {
    const pair: object = draw(sometimes(fc.constantFrom<object>(...pairs))) ?? {};
    if (Object.keys(pair).every((name) => !(name in fixed))) Object.assign(limits, pair);
  }
  // The LTV must not exceed the LTV of liquidation, so a fixed value of one determines both.
  const { maxLtv = PUBLISHED_LIMITS.maxLtv, ...others } = { ...limits, ...fixed };
  if (fixed.liquidationLtv !== undefined) return { ...others, ...fixed };
  const between = Number(((1 + maxLtv) / 2).toFixed(6));
  const liquidationLtv = draw(sometimes(fc.constantFrom(maxLtv, between, 1)));
  return { ...limits, ...fixed, ...(liquidationLtv === undefined ? {} : { liquidationLtv }) };
}
