import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { YEAR_SECONDS } from '../../../src/core/domain/calendar.js';
import { Growth, RAY } from '../../../src/core/domain/rates.js';
import {
  NO_SAVINGS,
  type SavingsPosition,
  accrueYield,
  addSavings,
  removeSavings,
  yieldAt,
  yieldShare,
} from '../../../src/core/domain/savings.js';
import { forAll, forAllOf } from '../../support/for-all.js';

/** A yield index that has grown by ppm since RAY. */
function index(ppm: bigint): bigint {
  return (RAY * (1_000_000n + ppm)) / 1_000_000n;
}

function value(position: SavingsPosition, indexRay: bigint): bigint {
  return position.principalBase + yieldAt(position, indexRay);
}

describe('SavingsPosition', () => {
  it('never holds more than exact accounting, and pays out at most a ten-millionth of a base unit more', () => {
    const move = fc.record({
      isDeposit: fc.boolean(),
      amount: fc.bigInt(1n, 5_000n),
      growPpm: fc.bigInt(0n, 50_000n),
    });
    forAll(fc.array(move, { maxLength: 40 }), (moves) => {
      let [position, indexRay] = [NO_SAVINGS, RAY];
      let [top, bottom] = [0n, 1n]; // the exact value, as a fraction
      for (const { isDeposit, amount, growPpm } of moves) {
        const next = (indexRay * (1_000_000n + growPpm)) / 1_000_000n;
        [top, bottom] = [top * next, bottom * indexRay];
        indexRay = next;
        if (isDeposit) {
          position = addSavings(position, amount, indexRay);
          top += amount * bottom;
        } else if (position.principalBase > 0n) {
          const part = amount < position.principalBase ? amount : position.principalBase;
          top -= (part + yieldShare(position, part, indexRay)) * bottom;
          position = removeSavings(position, part, indexRay);
        }
        expect(top * 10_000_000n >= -bottom).toBe(true);
        expect(value(position, indexRay) * bottom * 10_000_000n <= top * 10_000_000n + bottom).toBe(true);
        expect(accrueYield(position, indexRay).valueRay * bottom <= top * RAY).toBe(true);
        expect(yieldAt(position, indexRay) >= 0n).toBe(true);
      }
    });
  });

  it('earns equally over equal spans at one rate of up to a century, whenever they begin', () => {
    const CENTURY = 100n * YEAR_SECONDS;
    // At a whole number of years round rates come to whole base units, where an error of the index would show.
    const spans = fc.oneof(
      fc.record({ ppm: fc.bigInt(0n, 120_000n), seconds: fc.bigInt(1n, CENTURY) }),
      fc.record({ ppm: fc.bigInt(0n, 12n), years: fc.bigInt(1n, 3n) }).map(({ ppm, years }) => ({
        ppm: ppm * 10_000n,
        seconds: years * YEAR_SECONDS,
      })),
    );
    const before = fc.record({ ppm: fc.bigInt(0n, 300_000n), seconds: fc.bigInt(0n, YEAR_SECONDS) });
    const earlier = fc.array(before, { maxLength: 12 });
    const amounts = fc.oneof(
      fc.bigInt(1n, 10n ** 14n),
      fc.bigInt(1n, 10n ** 8n).map((n) => n * 10n ** 6n),
    );
    forAllOf(300, amounts, spans, earlier, earlier, (amount, { ppm, seconds }, ...starts) => {
      const rate = new Growth(ppm);
      const yields = starts.map((passed) => {
        const begun = passed.reduce((at, past) => new Growth(past.ppm).over(at, past.seconds), RAY);
        return yieldAt(addSavings(NO_SAVINGS, amount, begun), rate.over(begun, seconds));
      });
      expect(yields[0]).toBe(yields[1]);
    });
  });

  it('loses nothing when yield is booked repeatedly at the same index', () => {
    forAll(fc.bigInt(1n, 10n ** 15n), fc.bigInt(0n, 10n ** 6n), (amount, ppm) => {
      const position = addSavings(NO_SAVINGS, amount, RAY);
      let booked = position;
      for (let round = 0; round < 5; round += 1) booked = accrueYield(booked, index(ppm));
      expect(value(booked, index(ppm))).toBe(value(position, index(ppm)));
      expect(booked.bookedYieldBase).toBe(yieldAt(position, index(ppm)));
    });
  });

  it('pays the same in many small withdrawals as in one', () => {
    forAll(fc.bigInt(1n, 60n), fc.bigInt(0n, 3_000_000n), (principal, ppm) => {
      let position = addSavings(NO_SAVINGS, principal, RAY);
      const atOnce = principal + yieldShare(position, principal, index(ppm));
      let paid = 0n;
      while (position.principalBase > 0n) {
        paid += 1n + yieldShare(position, 1n, index(ppm));
        position = removeSavings(position, 1n, index(ppm));
      }
      expect(paid).toBe(atOnce);
      expect(position).toEqual({ ...NO_SAVINGS, indexRay: index(ppm) });
      expect(yieldShare(position, 5n, RAY)).toBe(0n);
    });
  });
});
