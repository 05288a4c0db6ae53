import fc from 'fast-check';
import type { ModelToken } from './model/types.js';
import type { Json } from './step.js';

export const DECIMALS: Readonly<Record<ModelToken, number>> = { USDC: 6, SOL: 9 };

/** Base units as a JSON number of token units. */
export function amountOf(units: bigint, token: ModelToken): number {
  return Number(`${units}e-${DECIMALS[token]}`);
}

/** Token units as base units, rounded to the nearest. */
export function unitsOf(amount: number, token: ModelToken): bigint {
  return BigInt(amount.toFixed(DECIMALS[token]).replace('.', ''));
}

const ROUND = [0.01, 1, 5, 10, 25, 100, 250, 500, 999.999999, 1_000, 1_000.000001, 10_000, 10_000.000001];

export const roundAmount: fc.Arbitrary<number> = fc.constantFrom(...ROUND);

const HOSTILE: readonly Json[] = [
  0,
  -1,
  -0.000001,
  1e12,
  1_000_000_000_001,
  1e13,
  1e300,
  0.000_000_1,
  1e-10,
  0.123_456_789_12,
  '10',
  '',
  null,
  true,
  [],
  {},
];

/** Invalid or barely valid amounts. */
export const hostileAmount: fc.Arbitrary<Json> = fc.constantFrom(...HOSTILE);

const NOISE = [0.1 + 0.2, 1.1 + 2.2, 100 * (1 + Number.EPSILON), 0.3 * 3, 4.35 * 100, 1.005 * 1_000];

/** Decimals with the rounding errors of binary float sums. */
export const noisyAmount: fc.Arbitrary<number> = fc.constantFrom(...NOISE);

/**
 * Amounts near edges: each edge in base units, one unit more, one less, half of it and a random part. Edges that are not positive are
 * ignored; without any edge, round amounts.
 */
export function amountNear(edges: readonly bigint[], token: ModelToken): fc.Arbitrary<number> {
  const positive = edges.filter((edge) => edge > 0n);
  if (positive.length === 0) return roundAmount;
  return fc
    .tuple(
      fc.constantFrom(...positive),
      fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, -1, -1, 2, 3, 4),
      fc.integer({ min: 1, max: 999 }),
    )
    .map(([edge, how, part]) => {
      const units =
        how <= 1
          ? edge + BigInt(how)
          : how === 2
            ? edge / 2n
            : how === 3
              ? (edge * BigInt(part)) / 1_000n
              : BigInt(part);
      return amountOf(units > 0n ? units : 1n, token);
    });
}
