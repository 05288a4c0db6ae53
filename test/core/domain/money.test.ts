import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  Amount,
  DECIMALS,
  MAX_AMOUNT,
  type Token,
  amountOf,
  base,
  mulDiv,
  parseAmount,
  usd,
  usdValueUp,
} from '../../../src/core/domain/money.js';
import { forAll } from '../../support/for-all.js';

const token = fc.constantFrom<Token>('USDC', 'SOL');

describe('amount parsing', () => {
  it('parses every decimal up to 10^12 tokens to the base units nearest to its double', () => {
    forAll(token, fc.bigInt(1n, 10n ** 21n), (name, units) => {
      fc.pre(units <= 10n ** BigInt(12 + DECIMALS[name]));
      const value = new Amount(units, DECIMALS[name]).toNumber();
      const parsed = parseAmount(value, name);
      if (!parsed.ok) throw new Error(`${value} ${name} was refused`);
      expect(new Amount(parsed.value, DECIMALS[name]).toNumber()).toBe(value);
      if (units <= 10n ** 15n) expect(parsed.value).toBe(units);
    });
  });

  it('accepts the smallest unit and the largest amount, and rejects anything beyond', () => {
    expect(parseAmount(1e-6, 'USDC')).toEqual({ ok: true, value: 1n });
    expect(parseAmount(1e-9, 'SOL')).toEqual({ ok: true, value: 1n });
    expect(parseAmount(MAX_AMOUNT, 'SOL')).toEqual({ ok: true, value: 10n ** 21n });
    expect(parseAmount(MAX_AMOUNT + 2 ** -13, 'USDC').ok).toBe(false);
    for (const value of [1e-10, 5e-10, 1.5e-9, Number.MIN_VALUE, 0.1 + 1e-10]) {
      expect(parseAmount(value, 'SOL').ok, String(value)).toBe(false);
    }
  });

  it('tolerates two units in the last place and no more', () => {
    const ulp = 2 ** -52;
    expect(parseAmount(1 + 2 * ulp, 'USDC')).toEqual({ ok: true, value: 1_000_000n });
    expect(parseAmount(1 + 3 * ulp, 'USDC').ok).toBe(false);
  });

  it('tolerates floating-point noise of a sum, but not half a base unit', () => {
    expect(parseAmount(0.1 + 0.2, 'USDC')).toEqual({ ok: true, value: 300_000n });
    forAll(fc.bigInt(1n, 10n ** 9n), fc.bigInt(1n, 10n ** 9n), (a, b) => {
      const sum = Number(a) / 1e6 + Number(b) / 1e6;
      expect(parseAmount(sum, 'USDC')).toEqual({ ok: true, value: a + b });
      expect(parseAmount(Number(a) / 1e6 + 5e-7, 'USDC').ok).toBe(false);
    });
  });

  it('rejects anything but a finite number, and never throws', () => {
    const bad = [Infinity, null, true, [], {}, 1n, undefined];
    for (const value of bad) expect(parseAmount(value, 'USDC')).toMatchObject({ ok: false });
    forAll(fc.double(), token, (value, name) => void parseAmount(value, name));
  });

  it('reports the reason and the token', () => {
    const reasonOf = (value: unknown) => {
      const parsed = parseAmount(value, 'USDC');
      return parsed.ok ? null : parsed.refusal;
    };
    const reasons = [
      ['12', 'must be a JSON number, without quotes'],
      [null, 'must be a JSON number, not null, which NaN becomes in JSON'],
      [{}, 'must be a JSON number'],
      [Number.NaN, 'must be a finite number'],
      [-Infinity, 'must be a finite number'],
      [-0, 'must be greater than zero'],
      [-3, 'must be greater than zero'],
      [1.1e12, 'must not be above 1e12'],
      [1.0000005, 'is finer than the smallest unit of USDC (6 decimals)'],
    ] as const;
    for (const [value, reason] of reasons) {
      const refusal = { code: 'invalid_amount', details: { reason, token: 'USDC' } };
      expect(reasonOf(value)).toEqual({ ...refusal, message: `The amount ${reason}.` });
    }
  });
});

describe('amount in a response', () => {
  it('is the nearest double as a JSON number, also beyond 2^53 base units', () => {
    const units = 2n ** 53n + 1n;
    expect(JSON.stringify([amountOf('USDC', 300_000n), usd(1n), amountOf('SOL', units)])).toBe(
      `[0.3,0.000001,${Number('9007199.254740993')}]`,
    );
  });

  it('converts an exact amount to the nearest double', () => {
    forAll(fc.bigInt(0n, 10n ** 24n), fc.constantFrom(6, 9), (units, decimals) => {
      expect(new Amount(units, decimals).toNumber()).toBe(Number(new Amount(units, decimals).toString()));
    });
  });

  it('is a number also beyond the largest double, where JSON would have null', () => {
    const units = 10n ** 400n;
    for (const amount of [usd(units), usd(-units)]) {
      const read: unknown = JSON.parse(JSON.stringify(amount));
      expect(read).toBe(Math.sign(amount.toNumber()) * Number.MAX_VALUE);
    }
  });

  it('formats as a plain decimal without trailing zeros', () => {
    const texts = [0n, 1n, 10n, 1_000_000n, 1_500_000n].map((units) => amountOf('USDC', units).toString());
    expect(texts).toEqual(['0', '0.000001', '0.00001', '1', '1.5']);
  });

  it('rejects a negative number of base units', () => {
    expect(() => base(-1n)).toThrow(RangeError);
    expect(base(0n)).toBe(0n);
  });
});

describe('division', () => {
  it('rounds in the given direction, and rounds USD values up', () => {
    const amount = fc.bigInt(0n, 10n ** 20n);
    forAll(amount, amount, fc.bigInt(1n, 10n ** 20n), (a, b, c) => {
      const [down, up] = [mulDiv(a, b, c, 'floor'), mulDiv(a, b, c, 'ceil')];
      expect(down * c <= a * b && a * b <= up * c).toBe(true);
      expect(up - down).toBe((a * b) % c === 0n ? 0n : 1n);
      expect([mulDiv(a, c, c, 'floor'), mulDiv(a, c, c, 'ceil')]).toEqual([a, a]);
    });
    forAll(token, amount, fc.bigInt(1n, 10n ** 14n), (name, units, price) => {
      const scale = 10n ** BigInt(DECIMALS[name] + 2);
      const value = usdValueUp(units, name, price);
      expect(value * scale >= units * price && (value - 1n) * scale < units * price).toBe(true);
    });
  });

  it('rejects a divisor that is not positive', () => {
    for (const divisor of [0n, -1n]) expect(() => mulDiv(1n, 1n, divisor, 'floor')).toThrow(RangeError);
  });
});
