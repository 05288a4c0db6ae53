import { ok, type Result, refuse } from './result.js';
import { messageOf } from './errors.js';

export const TOKENS = ['USDC', 'SOL'] as const;
export type Token = (typeof TOKENS)[number];

/** Decimal places: one USDC is 10^6 base units, one SOL 10^9 lamports. */
export const DECIMALS: Readonly<Record<Token, number>> = { USDC: 6, SOL: 9 };

/** Whole USD as base units of USDC. */
export function baseOfUsd(whole: bigint): bigint {
  return whole * 1_000_000n;
}

declare const baseBrand: unique symbol;
/** A non-negative amount in base units of its token. */
export type Base = bigint & { readonly [baseBrand]: true };

/** Brands `units` as an amount. Throws RangeError when negative: a bug, not a refusal. */
export function base(units: bigint): Base {
  if (units < 0n) throw new RangeError(`an amount cannot be negative: ${units}`);
  return units as Base;
}

export type PerToken<T> = Readonly<Record<Token, T>>;

/** The rounding mode of a division: `ceil` for debts, `floor` for credits to an agent. */
export type Rounding = 'floor' | 'ceil';

/** a × b ÷ c for non-negative integers, rounded by `rounding`. Throws RangeError for c ≤ 0. */
export function mulDiv(a: bigint, b: bigint, c: bigint, rounding: Rounding): bigint {
  if (c <= 0n) throw new RangeError('the divisor must be positive');
  const product = a * b;
  return rounding === 'floor' ? product / c : (product + c - 1n) / c;
}

/** The largest amount a request may name, in token units. */
export const MAX_AMOUNT = 1e12;

/**
 * Converts a JSON number of token units into base units.
 * Refuses (`invalid_amount`) anything that is not a finite positive number, exceeds 10^12 or is finer than the smallest unit.
 * Binary floating-point noise is tolerated: a number counts as its nearest base-unit decimal when the two lie within 2 units
 * in the last place of the double (0.1 + 0.2 is 0.3).
 */
export function parseAmount(value: unknown, token: Token): Result<Base> {
  const bad = (reason: string) => refuse('invalid_amount', { reason, token }, `The amount ${reason}.`);
  if (value === null) return bad('must be a JSON number, not null, which NaN becomes in JSON');
  if (typeof value === 'string') return bad('must be a JSON number, without quotes');
  if (typeof value !== 'number') return bad('must be a JSON number');
  if (!Number.isFinite(value)) return bad('must be a finite number');
  if (value <= 0) return bad('must be greater than zero');
  if (value > MAX_AMOUNT) return bad('must not be above 1e12');
  const digits = DECIMALS[token];
  const text = value.toFixed(digits);
  const units = BigInt(text.replace('.', ''));
  const ulp = 2 ** (Math.floor(Math.log2(value)) - 52);
  if (units === 0n || Math.abs(Number(text) - value) > 2 * ulp) {
    return bad(`is finer than the smallest unit of ${token} (${digits} decimals)`);
  }
  return ok(base(units));
}

/** `parseAmount` for callers in this process: throws RangeError with the message of the refusal. */
export function baseUnits(amount: number, token: Token): Base {
  const parsed = parseAmount(amount, token);
  if (!parsed.ok) throw new RangeError(messageOf(parsed.refusal));
  return parsed.value;
}

const POWERS_OF_TEN = Array.from({ length: 13 }, (_, exponent) => 10 ** exponent);

/** `units` ÷ 10^decimals as the nearest double; JSON has no infinity, so that yields of centuries end at the largest. */
function toNumber(units: bigint, decimals: number): number {
  const asNumber = Number(units);
  if (Number.isSafeInteger(asNumber)) return asNumber / (POWERS_OF_TEN[decimals] as number);
  const most = Number.MAX_VALUE;
  return Math.min(Math.max(Number(`${units}e-${decimals}`), -most), most);
}

/** An exact decimal for responses; it becomes a JSON number only when a response is serialized. */
export class Amount {
  constructor(
    readonly units: bigint,
    readonly decimals: number,
  ) {}

  /** The nearest double, in token units or USD. */
  toNumber(): number {
    return toNumber(this.units, this.decimals);
  }

  toJSON(): number {
    return this.toNumber();
  }

  /** Plain decimal text without trailing zeros. */
  toString(): string {
    const digits = this.units.toString().padStart(this.decimals + 1, '0');
    const whole = digits.slice(0, digits.length - this.decimals);
    const fraction = digits.slice(digits.length - this.decimals).replace(/0+$/, '');
    return fraction === '' ? whole : `${whole}.${fraction}`;
  }
}

export function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** An amount in base units as a number of token units, such as lamports as SOL. */
export function tokenUnits(token: Token, amountBase: bigint): number {
  return toNumber(amountBase, DECIMALS[token]);
}

/** An amount of `token` for a response. */
export function amountOf(token: Token, units: bigint): Amount {
  return new Amount(units, DECIMALS[token]);
}

/** USD amounts are in micro-USD. */
export const USD_DECIMALS = 6;

/** An amount in micro-USD for a response. */
export function usd(micro: bigint): Amount {
  return new Amount(micro, USD_DECIMALS);
}

/** Decimals of a price in USD per whole token, as in the Pyth feeds of SOL and USDC. */
export const PRICE_DECIMALS = 8;

/** The value of an amount in micro-USD, rounded up, so that rounding never extends a limit. */
export function usdValueUp(amountBase: bigint, token: Token, priceE8: bigint): bigint {
  return mulDiv(amountBase, priceE8, 10n ** BigInt(DECIMALS[token] + PRICE_DECIMALS - USD_DECIMALS), 'ceil');
}
