import { YEAR_SECONDS } from '../core/domain/calendar.js';
import { mulDiv } from '../core/domain/money.js';
import { PPM, RAY } from '../core/domain/rates.js';
import type { Feed, RateCurve } from './feed.js';

// Aave's bounds: the kink between 1 % and 99 %, the sum of all rates at most 1000 %.
const MIN_OPTIMAL_PPM = 10_000n;
const MAX_OPTIMAL_PPM = 990_000n;
const MAX_RATE_PPM = 10_000_000n;

// Digits of a per-second factor; 31,536,000 multiplications lose at most eight of them.
const UNIT = 10n ** 45n;

/** Validates a curve. Throws RangeError out of bounds. Source: Aave v3, `_setInterestRateParams`. */
export function checkCurve(curve: RateCurve): RateCurve {
  const { basePpm, slope1Ppm, slope2Ppm, optimalPpm, reserveFactorPpm } = curve;
  if (optimalPpm < MIN_OPTIMAL_PPM || optimalPpm > MAX_OPTIMAL_PPM)
    throw new RangeError('curve.optimal must be from 0.01 to 0.99');
  if (slope2Ppm < slope1Ppm)
    throw new RangeError('curve.slope2 must not be below curve.slope1: rates rise faster above the kink');
  if (basePpm + slope1Ppm + slope2Ppm > MAX_RATE_PPM)
    throw new RangeError('curve.base, slope1 and slope2 must not exceed 10 (1000 %) in total');
  if (reserveFactorPpm > PPM) throw new RangeError('curve.reserveFactor must be from 0 to 1');
  return curve;
}

/**
 * The borrow APR at a utilization, as a ray, rounded up: `base + slope1 × U / optimal` up to the kink, `base + slope1 + slope2 ×
 * (U − optimal) / (1 − optimal)` above it. Source: Aave v3, interest rate strategy; Compound's JumpRateModel is equivalent, with
 * slopes per whole unit of utilization.
 */
export function borrowAprRay(curve: RateCurve, utilizationPpm: bigint): bigint {
  const { basePpm, slope1Ppm, slope2Ppm, optimalPpm } = curve;
  const ray = RAY / PPM;
  if (utilizationPpm <= optimalPpm)
    return basePpm * ray + mulDiv(slope1Ppm * ray, utilizationPpm, optimalPpm, 'ceil');
  const excess = mulDiv(slope2Ppm * ray, utilizationPpm - optimalPpm, PPM - optimalPpm, 'ceil');
  return (basePpm + slope1Ppm) * ray + excess;
}

/**
 * The supply APR at a utilization, as a ray, rounded down: `borrow APR × U × (1 − reserve factor)`. Source: Aave v3, interest rate
 * strategy; in Compound `getSupplyRate`.
 */
export function supplyAprRay(curve: RateCurve, utilizationPpm: bigint): bigint {
  const shared = utilizationPpm * (PPM - curve.reserveFactorPpm);
  return mulDiv(borrowAprRay(curve, utilizationPpm), shared, PPM * PPM, 'floor');
}

/**
 * Converts an APR (a ray) to an APY in ppm, rounded down: `(1 + APR / n)^n − 1` with n the seconds of a year of 365 days. Aave
 * uses this formula.
 */
export function apyOfAprPpm(aprRay: bigint): bigint {
  let square = UNIT + (aprRay * (UNIT / RAY)) / YEAR_SECONDS;
  let power = UNIT;
  for (let rest = YEAR_SECONDS; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) power = (power * square) / UNIT;
    square = (square * square) / UNIT;
  }
  return ((power - UNIT) * PPM) / UNIT;
}

const KNOWN_LIMIT = 10_000;

/** The supply APY (ppm) of a curve for a utilization feed (ppm). Throws RangeError for an invalid curve. */
export function curveFeed(curve: RateCurve, utilization: Feed): Feed {
  checkCurve(curve);
  const known = new Map<bigint, bigint>();
  return {
    at: (atMs) => {
      const utilizationPpm = utilization.at(atMs);
      const remembered = known.get(utilizationPpm);
      if (remembered !== undefined) return remembered;
      const apyPpm = apyOfAprPpm(supplyAprRay(curve, utilizationPpm));
      if (known.size >= KNOWN_LIMIT) known.clear();
      known.set(utilizationPpm, apyPpm);
      return apyPpm;
    },
    nextChangeAfter: (atMs) => utilization.nextChangeAfter(atMs),
    source: { kind: 'curve', curve, utilization: utilization.source },
  };
}
