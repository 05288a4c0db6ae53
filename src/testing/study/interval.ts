/** The mean of results with its 95 % t-interval. */
export interface Interval {
  readonly n: number;
  /** NaN without results. */
  readonly mean: number;
  /** NaN with fewer than two results. */
  readonly low: number;
  readonly high: number;
}

const CONFIDENCE = 0.95;
const HALVINGS = 60;

/** The probability that Student's t stays within ±√freedom·tan(angle): Abramowitz and Stegun, 26.7.3 and 26.7.4. */
function within(angle: number, freedom: number): number {
  const isOdd = freedom % 2 === 1;
  const cosine = Math.cos(angle);
  let term = isOdd ? cosine : 1;
  let sum = freedom === 1 ? 0 : term;
  for (let at = isOdd ? 3 : 2; at < freedom - 1; at += 2) {
    term *= (cosine * cosine * (at - 1)) / at;
    sum += term;
  }
  return isOdd ? ((angle + Math.sin(angle) * sum) * 2) / Math.PI : Math.sin(angle) * sum;
}

/** The quantile of Student's t that 95 % of its values stay within, found by halving. */
export function studentT(freedom: number): number {
  let [low, high] = [0, Math.PI / 2];
  for (let left = HALVINGS; left > 0; left -= 1) {
    const middle = (low + high) / 2;
    if (within(middle, freedom) < CONFIDENCE) low = middle;
    else high = middle;
  }
  return Math.sqrt(freedom) * Math.tan(low);
}

/** NaN without values. */
export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function intervalOf(results: readonly number[]): Interval {
  const n = results.length;
  const mean = meanOf(results);
  const squares = results.reduce((sum, result) => sum + (result - mean) ** 2, 0);
  const half = n < 2 ? Number.NaN : studentT(n - 1) * Math.sqrt(squares / (n - 1) / n);
  return { n, mean, low: mean - half, high: mean + half };
}
