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
  it('accrues 80 on 1000 at 8 % in 365 days, leap day included', () => {
    const opened = Date.UTC(2028, 0, 1);
    const debt = lend(openDebt(80_000n, opened), 1_000_000_000n, opened);
    expect(interestOwed(debt, opened + YEAR_MS)).toBe(80_000_000n);
    expect(interestOwed(debt, Date.UTC(2029, 0, 1))).toBe((1_000_000_000n * 8n * 366n) / (100n * 365n) + 1n);
  });

  it('accrues simple interest, actual/365 by the second, rounded up', () => {
    forAll(fc.bigInt(1n, 10n ** 13n), fc.bigInt(0n, 10n * YEAR_SECONDS), (amount, seconds) => {
      const debt = lend(openDebt(80_000n, 0), amount, 0);
      const exact = amount * 80_000n * seconds;
      const scale = 1_000_000n * YEAR_SECONDS;
      const interest = interestOwed(debt, Number(seconds) * 1_000);
      expect(interest * scale >= exact && (interest - 1n) * scale < exact).toBe(true);
    });
  });

  it('rounds interest up to one base unit from the first second', () => {
    const debt = loan(1n, 180_000n);
    expect([0, 999, 1_000].map((atMs) => interestOwed(debt, atMs))).toEqual([0n, 0n, 1n]);
    expect(owed(debt, 1_000)).toBe(2n);
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

  it('pays interest before principal and takes no more than is owed', () => {
    const debt = loan(1_000_000_000n, 80_000n);
    expect(splitPayment(debt, 30_000_000n, YEAR_MS)).toEqual({
      interestBase: 30_000_000n,
      principalBase: 0n,
    });
    expect(splitPayment(debt, 80_000_001n, YEAR_MS)).toEqual({
      interestBase: 80_000_000n,
      principalBase: 1n,
    });
    const all = splitPayment(debt, 10n ** 12n, YEAR_MS);
    expect(all).toEqual({ interestBase: 80_000_000n, principalBase: 1_000_000_000n });
    expect(owed(settle(debt, all, YEAR_MS), YEAR_MS + YEAR_MS)).toBe(0n);
  });

  it('keeps unpaid interest after a partial payment', () => {
    const debt = loan(1_000_000_000n, 80_000n);
    const part = splitPayment(debt, 30_000_000n, YEAR_MS);
    const rest = settle(debt, part, YEAR_MS);
    expect([interestOwed(rest, YEAR_MS), interestOwed(rest, 2 * YEAR_MS)]).toEqual([
      50_000_000n,
      130_000_000n,
    ]);
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

  it('charges each part from the day it was lent', () => {
    const debt = lend(loan(365n * 10n ** 9n, 100_000n), 365n * 10n ** 9n, 10 * DAY_MS);
    expect(interestOwed(debt, 20 * DAY_MS)).toBe(3n * 10n ** 9n);
  });
});
