import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, YEAR_SECONDS } from '../../../src/core/domain/calendar.js';
import {
  type Debt,
  accrue,
  interestOwed,
  lend,
  openDebt,
  owed,
  settle,
  splitPayment,
} from '../../../src/core/domain/debt.js';
import { forAll } from '../../support/for-all.js';

const YEAR_MS = 365 * DAY_MS;

function loan(principal: bigint, aprPpm: bigint): Debt {
  return lend(openDebt(aprPpm, 0), principal, 0);
}

describe('Debt', () => {
  it('accrues simple interest, actual/365 by the second, rounded up', () => {
    forAll(fc.bigInt(1n, 10n ** 13n), fc.bigInt(0n, 10n * YEAR_SECONDS), (amount, seconds) => {
      const debt = lend(openDebt(80_000n, 0), amount, 0);
      const exact = amount * 80_000n * seconds;
      const scale = 1_000_000n * YEAR_SECONDS;
      const interest = interestOwed(debt, Number(seconds) * 1_000);
      expect(interest * scale >= exact && (interest - 1n) * scale < exact).toBe(true);
    });
  });

  it('keeps accrued interest when time runs backwards', () => {
    const later = accrue(loan(10n ** 9n, 80_000n), YEAR_MS);
    expect(accrue(later, 0)).toBe(later);
    expect(interestOwed(later, 0)).toBe(interestOwed(later, YEAR_MS));
  });

  it('accrues the same however often it is evaluated', () => {
    forAll(fc.bigInt(1n, 10n ** 13n), fc.array(fc.nat(10 ** 9), { maxLength: 20 }), (amount, steps) => {
      const whole = loan(amount, 400_000n);
      let [watched, nowMs] = [whole, 0];
      for (const step of steps) {
        nowMs += step;
        watched = accrue(watched, nowMs);
      }
      expect(owed(watched, nowMs)).toBe(owed(whole, nowMs));
    });
  });

  it('costs at least as much with interest-only payments as with one payment, and at most one base unit more per payment', () => {
    const days = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 12 });
    forAll(fc.bigInt(1n, 10n ** 12n), fc.bigInt(180_000n, 650_000n), days, (amount, apr, gaps) => {
      let [debt, nowMs, paid] = [loan(amount, apr), 0, 0n];
      for (const gap of gaps) {
        nowMs += gap * DAY_MS;
        const part = splitPayment(debt, interestOwed(debt, nowMs), nowMs);
        expect(part.principalBase).toBe(0n);
        debt = settle(debt, part, nowMs);
        paid += part.interestBase;
      }
      const atOnce = interestOwed(loan(amount, apr), nowMs);
      expect(paid >= atOnce && paid <= atOnce + BigInt(gaps.length)).toBe(true);
      expect(debt.principalBase).toBe(amount);
    });
  });
});
