import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenUnits } from '../../../src/core/domain/money.js';
import {
  amountText,
  countText,
  instantText,
  percentText,
  shortId,
  usdText,
} from '../../../src/inspector/text/format.js';
import { forAll } from '../../support/for-all.js';

describe('amounts', () => {
  it('have grouped digits, two decimals at least, and a minus sign', () => {
    expect(amountText(1_234_567.5, 'USDC')).toBe('1,234,567.50');
    expect(amountText(-1_000, 'SOL')).toBe('−1,000.00');
    expect(amountText(0.000001, 'USDC')).toBe('0.000001');
    expect(amountText(1e-9, 'SOL')).toBe('0.000000001');
  });

  it('show no minus sign for nothing', () => {
    expect(amountText(-0, 'USDC')).toBe('0.00');
    expect(amountText(-1e-12, 'USDC')).toBe('0.00');
  });

  it('show every base unit', () => {
    forAll(
      fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n }),
      fc.constantFrom('USDC' as const, 'SOL' as const),
      (base, token) => {
        const text = amountText(tokenUnits(token, base), token).replaceAll(',', '').replace('−', '-');
        const [whole = '', part = ''] = text.split('.');
        const digits = token === 'USDC' ? 6 : 9;
        expect(BigInt(whole + part.padEnd(digits, '0'))).toBe(base);
      },
    );
  });
});

it('values in USD, counts and fractions are short', () => {
  expect(usdText(-1_234.567)).toBe('−$1,234.57');
  expect(countText(100_000)).toBe('100,000');
  expect(percentText(0.0175)).toBe('1.75 %');
  expect(percentText(0.05)).toBe('5 %');
});

it('instants are in UTC, and long ids are shown by their ends', () => {
  expect(instantText('2026-01-31T12:00:00.123Z')).toBe('2026-01-31 12:00:00');
  expect(instantText('2026-01-31T12:00:00.123Z', true)).toBe('2026-01-31 12:00:00.123');
  expect(shortId('2xCgQfcKS8rXT13bfJhwCj5h67GAR56GKjTR74BEjCkN')).toBe('2xCg…jCkN');
  expect(shortId('fork-1')).toBe('fork-1');
});
