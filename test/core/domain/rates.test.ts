import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { YEAR_SECONDS } from '../../../src/core/domain/calendar.js';
import { Growth, PPM, RAY } from '../../../src/core/domain/rates.js';
import { Growth as ModelGrowth, INDEX_ONE } from '../../../src/testing/fuzz/model/growth.js';
import { forAllOf } from '../../support/for-all.js';

describe('growth', () => {
  it('is exactly the APY over a year, rounded down at the 27th digit', () => {
    forAllOf(40, fc.bigInt(0n, 20_000_000n), fc.bigInt(RAY, 1_000n * RAY), (ppm, index) => {
      expect(new Growth(ppm).over(index, YEAR_SECONDS)).toBe((index * (PPM + ppm)) / PPM);
    });
  });

  it('never falls as time or the rate rises', () => {
    const seconds = fc.bigInt(0n, 3n * YEAR_SECONDS);
    forAllOf(60, fc.bigInt(0n, 500_000n), seconds, (ppm, at) => {
      const [slow, fast] = [new Growth(ppm), new Growth(ppm + 1n)];
      expect(slow.over(RAY, at + 1n) >= slow.over(RAY, at)).toBe(true);
      expect(fast.over(RAY, at) >= slow.over(RAY, at)).toBe(true);
      if (ppm > 0n) expect(slow.over(RAY, at + 1n) > slow.over(RAY, at)).toBe(true);
    });
  });

  it('loses at most one unit in the 27th digit per interval when split, and gains nothing', () => {
    const parts = fc.array(fc.bigInt(0n, 10_000_000n), { minLength: 1, maxLength: 20 });
    forAllOf(60, fc.bigInt(0n, 500_000n), parts, (ppm, intervals) => {
      const growth = new Growth(ppm);
      const whole = growth.over(
        RAY,
        intervals.reduce((sum, part) => sum + part, 0n),
      );
      const split = intervals.reduce((index, part) => growth.over(index, part), RAY);
      expect(split <= whole).toBe(true);
      // Each floor costs less than one unit of the 27th digit, which grows with the remaining intervals.
      expect((whole - split) * RAY <= BigInt(intervals.length) * whole).toBe(true);
    });
  });

  it('errs by less than one unit in the 27th digit over any span of up to a century', () => {
    const CENTURY = 100 * Number(YEAR_SECONDS);
    // The fuzzer's model computes growth on its own, with nine digits more.
    const model = new ModelGrowth();
    const indices = fc.bigInt(RAY, 10n ** 6n * RAY);
    forAllOf(
      200,
      fc.bigInt(0n, 10_000_000n),
      fc.integer({ min: 0, max: CENTURY }),
      indices,
      (ppm, seconds, index) => {
        const exact = index * model.over(ppm, seconds);
        const error = exact - new Growth(ppm).over(index, BigInt(seconds)) * INDEX_ONE;
        const smallest = exact / 10n ** 34n;
        expect(-smallest <= error).toBe(true);
        expect(error <= INDEX_ONE + smallest).toBe(true);
      },
    );
  });

  it('rejects a negative rate', () => {
    expect(() => new Growth(-1n)).toThrow(RangeError);
  });
});
