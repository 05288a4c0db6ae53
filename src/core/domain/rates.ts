import { YEAR_SECONDS } from './calendar.js';

/** One, in the 27-digit fixed point of yield indices. */
export const RAY = 10n ** 27n;

/** Rates are parts per million: 1.7 % is 17,000. */
export const PPM = 1_000_000n;

// Per-second factors carry 18 guard digits beyond a ray, so that the 31,536,000 multiplications of a year lose none of the 27.
const GUARD_DIGITS = 45n;
const UNIT = 10n ** GUARD_DIGITS;

// Logarithms and powers are computed in units of 2^-200, some 10^-60, where a shift takes the place of a division.
const WIDE_BITS = 200n;
const WIDE = 1n << WIDE_BITS;

/** ln(y / WIDE) in units of WIDE, for y ≥ WIDE, by ln y = k ln 2 + 2 atanh((m - 1) / (m + 1)). */
function ln(y: bigint): bigint {
  let mantissa = y;
  let halvings = 0n;
  while (mantissa >= 2n * WIDE) {
    mantissa >>= 1n;
    halvings += 1n;
  }
  const rest = atanhDoubled(((mantissa - WIDE) << WIDE_BITS) / (mantissa + WIDE));
  return halvings === 0n ? rest : rest + halvings * atanhDoubled(WIDE / 3n);
}

function atanhDoubled(z: bigint): bigint {
  const square = (z * z) >> WIDE_BITS;
  let power = z;
  let sum = 0n;
  for (let k = 1n; power !== 0n; k += 2n) {
    sum += power / k;
    power = (power * square) >> WIDE_BITS;
  }
  return 2n * sum;
}

/** Distance of the points whose logarithms are cached, in ppm. */
const POINT_PPM = 256n;
const LOGARITHMS: bigint[] = [];

/** ln(1 + APY) in units of WIDE, up to 100 %: `ln(1 + x) = ln(1 + p) + 2 atanh((x - p) / (2 + x + p))`, from a point p just below. */
function lnOf(apyPpm: bigint): bigint {
  if (apyPpm > PPM) return ln(WIDE + (apyPpm * WIDE) / PPM);
  const point = apyPpm - (apyPpm % POINT_PPM);
  const ofPoint = (LOGARITHMS[Number(point / POINT_PPM)] ??= ln(WIDE + (point * WIDE) / PPM));
  return ofPoint + atanhDoubled(((apyPpm - point) << WIDE_BITS) / (2n * PPM + apyPpm + point));
}

/** e^(x / WIDE) in units of WIDE, for a small x ≥ 0. */
function exp(x: bigint): bigint {
  let term = WIDE;
  let sum = 0n;
  for (let k = 1n; term !== 0n; k += 1n) {
    sum += term;
    term = ((term * x) >> WIDE_BITS) / k;
  }
  return sum;
}

/** The growth per second at an APY: (1 + APY)^(seconds / 31,536,000), by repeated squaring. */
export class Growth {
  // squares[k] is the factor to the power of 2^k, in units of UNIT, each rounded up; `over` floors once at the end.
  readonly #squares: bigint[];

  constructor(apyPpm: bigint) {
    if (apyPpm < 0n) throw new RangeError(`an APY cannot be negative: ${apyPpm} ppm`);
    const factor = apyPpm === 0n ? UNIT : ((exp(lnOf(apyPpm) / YEAR_SECONDS) * UNIT) >> WIDE_BITS) + 1n;
    this.#squares = [factor];
  }

  /**
   * An index (a ray) after `seconds` of this growth, rounded down to 27 digits. The error before that rounding is below 10^-35 of the
   * index, so that a year at 5 % earns exactly 5 %.
   */
  over(indexRay: bigint, seconds: bigint): bigint {
    let power = UNIT;
    let rest = seconds;
    for (let k = 0; rest > 0n; k += 1, rest >>= 1n) {
      const square = this.#square(k);
      if ((rest & 1n) === 1n) power = (power * square + UNIT - 1n) / UNIT;
    }
    return (indexRay * power) / UNIT;
  }

  #square(k: number): bigint {
    while (this.#squares.length <= k) {
      const last = this.#squares.at(-1) as bigint;
      this.#squares.push((last * last + UNIT - 1n) / UNIT);
    }
    return this.#squares[k] as bigint;
  }
}
