import type { BaseAmounts, ModelToken } from './types.js';

/** Decimals of a token's base unit. Source: docs/reference/fidelity.md, Amounts. */
export const DECIMALS: Readonly<Record<ModelToken, number>> = { USDC: 6, SOL: 9 };
const SCALE: Readonly<Record<ModelToken, number>> = { USDC: 1e6, SOL: 1e9 };
const SCALE_BASE: Readonly<Record<ModelToken, bigint>> = { USDC: 1_000_000n, SOL: 1_000_000_000n };
/** The largest amount that a call may contain, in token units. Source: docs/reference/fidelity.md, Amounts. */
const MAX_UNITS = 1e12;
const PRICE_SCALE = 100_000_000n;
const EXACT_BELOW = 2 ** 52;
export const DAY_MS = 86_400_000;

/** Minimum lamports of an address. Source: docs/reference/fidelity.md, Withdrawals and x402 payments. */
export const RENT_MINIMUM = 890_880n;

export const TOKENS: readonly ModelToken[] = ['USDC', 'SOL'];
export const NOTHING: BaseAmounts = { USDC: 0n, SOL: 0n };

export function isToken(name: unknown): name is ModelToken {
  return name === 'USDC' || name === 'SOL';
}

export function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** Base units as the nearest JSON number of token units. */
export function units(token: ModelToken, base: bigint): number {
  const scale = SCALE[token];
  const plain = Number(base);
  // Both are exact doubles, so the quotient is the nearest one.
  if (Number.isSafeInteger(plain)) return plain / scale;
  const whole = base / SCALE_BASE[token];
  const part = base % SCALE_BASE[token];
  return Number(`${whole}.${String(part < 0n ? -part : part).padStart(DECIMALS[token], '0')}`);
}

/** Millionths of a USD as a JSON number of USD. */
export function usdNumber(microUsd: bigint): number {
  return units('USDC', microUsd);
}

/** The distance from a positive double to the next one. */
function ulp(value: number): number {
  const bits = new Float64Array([value]);
  const words = new BigUint64Array(bits.buffer);
  words[0] = (words[0] ?? 0n) + 1n;
  return (bits[0] ?? value) - value;
}

/**
 * A call's amount in base units; null if it is refused as `invalid_amount`. A number counts as its nearest base-unit decimal when both lie
 * within 2 units in the last place. Source: docs/reference/fidelity.md, Amounts.
 */
export function amountBase(value: unknown, token: ModelToken): bigint | null {
  if (typeof value !== 'number' || !(value > 0) || value > MAX_UNITS) return null;
  const scale = SCALE[token];
  const rounded = Math.round(value * scale);
  if (rounded < EXACT_BELOW) {
    const nearest = rounded / scale;
    if (rounded === 0) return null;
    if (nearest !== value && Math.abs(nearest - value) > 2 * ulp(value)) return null;
    return BigInt(rounded);
  }
  const text = value.toFixed(DECIMALS[token]);
  return Math.abs(Number(text) - value) > 2 * ulp(value) ? null : BigInt(text.replace('.', ''));
}

/** A price in hundred-millionths of a USD. */
export function priceE8(usd: number): bigint {
  return BigInt(usd.toFixed(8).replace('.', ''));
}

/** An amount's value in millionths of a USD, rounded up. Source: docs/reference/fidelity.md, Amounts. */
export function worthMicroUsd(token: ModelToken, base: bigint, price: bigint): bigint {
  const divisor = SCALE_BASE[token] * (PRICE_SCALE / 1_000_000n);
  return (base * price + divisor - 1n) / divisor;
}

/** A rate in millionths as a percentage, such as `1.7%`. */
export function percent(ppm: bigint): string {
  return `${Number(ppm) / 10_000}%`;
}

/** An instant in the service's notation. */
export function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** A number with up to six decimals, in millionths. */
export function millionths(value: number): bigint {
  return BigInt(value.toFixed(6).replace('.', ''));
}
