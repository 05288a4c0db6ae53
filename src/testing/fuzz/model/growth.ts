/** Seconds of a year. Source: docs/reference/fidelity.md, Savings. */
export const YEAR_SECONDS = 31_536_000n;
/** Fixed-point 1 of an index: 36 digits, nine more than the service keeps. */
export const INDEX_ONE = 10n ** 36n;
/** Fixed-point 1 for intermediate results. */
const ONE = 10n ** 50n;
const TO_INDEX = ONE / INDEX_ONE;

/** ln x for x ≥ 1 in `ONE`: halves x until it is below 2, then sums the series of 2 artanh((x - 1) / (x + 1)). */
function ln(x: bigint): bigint {
  let halvings = 0n;
  let rest = x;
  while (rest >= 2n * ONE) {
    rest /= 2n;
    halvings += 1n;
  }
  return halvings * (halvings === 0n ? 0n : artanhSeries(2n * ONE)) + artanhSeries(rest);
}

function artanhSeries(x: bigint): bigint {
  const ratio = ((x - ONE) * ONE) / (x + ONE);
  const square = (ratio * ratio) / ONE;
  let power = ratio;
  let sum = 0n;
  for (let odd = 1n; power !== 0n; odd += 2n) {
    sum += power / odd;
    power = (power * square) / ONE;
  }
  return 2n * sum;
}

/** e to a small power in `ONE`. */
function exp(x: bigint): bigint {
  let term = ONE;
  let sum = ONE;
  for (let n = 1n; term !== 0n; n += 1n) {
    term = (term * x) / (ONE * n);
    sum += term;
  }
  return sum;
}

/**
 * Growth of savings at an APY that compounds by the second: (1 + APY) to the power of seconds / year. Caches the powers of each rate, so
 * that a growth costs a few multiplications.
 */
export class Growth {
  /** By rate: the growth over 1, 2, 4, 8 … seconds, in `ONE`. */
  readonly #powers = new Map<bigint, bigint[]>();

  /** Growth in `INDEX_ONE`, for a rate in millionths. */
  over(apyPpm: bigint, seconds: number): bigint {
    if (apyPpm === 0n || seconds === 0) return INDEX_ONE;
    let powers = this.#powers.get(apyPpm);
    if (powers === undefined) {
      powers = [exp(ln(ONE + apyPpm * (ONE / 1_000_000n)) / YEAR_SECONDS)];
      this.#powers.set(apyPpm, powers);
    }
    let grown = ONE;
    let at = 0;
    for (let rest = seconds; rest >= 1; rest = Math.floor(rest / 2)) {
      let power = powers[at];
      if (power === undefined) {
        const before = powers[at - 1] ?? ONE;
        power = (before * before) / ONE;
        powers.push(power);
      }
      if (rest % 2 === 1) grown = grown === ONE ? power : (grown * power) / ONE;
      at += 1;
    }
    return grown / TO_INDEX;
  }
}
