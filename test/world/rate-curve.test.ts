import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RAY } from '../../src/core/domain/rates.js';
import { type RateCurve, fixedFeed } from '../../src/world/feed.js';
import {
  apyOfAprPpm,
  borrowAprRay,
  checkCurve,
  curveFeed,
  supplyAprRay,
} from '../../src/world/rate-curve.js';
import { type PriceSource, feedOf } from '../../src/world/sources.js';
import { forAll } from '../support/for-all.js';

const PPM = 1_000_000n;
// 0 % + 4 % up to 90 % utilization, then 60 % more; the protocol keeps a tenth.
const STABLE: RateCurve = {
  basePpm: 0n,
  slope1Ppm: 40_000n,
  slope2Ppm: 600_000n,
  optimalPpm: 900_000n,
  reserveFactorPpm: 100_000n,
};

const curve: fc.Arbitrary<RateCurve> = fc
  .record({
    basePpm: fc.bigInt(0n, 100_000n),
    slope1Ppm: fc.bigInt(0n, 500_000n),
    steeperPpm: fc.bigInt(0n, 3_000_000n),
    optimalPpm: fc.bigInt(10_000n, 990_000n),
    reserveFactorPpm: fc.bigInt(0n, PPM),
  })
  .map(({ steeperPpm, ...rest }) => ({ ...rest, slope2Ppm: rest.slope1Ppm + steeperPpm }));
const utilization = fc.bigInt(0n, PPM);

describe('lending rate curve', () => {
  it('matches rates computed by hand', () => {
    // Half of the way to the kink: borrowers pay 2 %; savers get 45 % of it, less a tenth.
    expect(borrowAprRay(STABLE, 450_000n)).toBe((RAY * 2n) / 100n);
    expect(supplyAprRay(STABLE, 450_000n)).toBe((RAY * 81n) / 10_000n);
    expect(borrowAprRay(STABLE, 900_000n)).toBe((RAY * 4n) / 100n);
    expect(borrowAprRay(STABLE, 950_000n)).toBe((RAY * 34n) / 100n);
    expect(borrowAprRay(STABLE, PPM)).toBe((RAY * 64n) / 100n);
    expect(supplyAprRay(STABLE, PPM)).toBe((RAY * 576n) / 1_000n);
    expect(borrowAprRay({ ...STABLE, basePpm: 10_000n }, 0n)).toBe(RAY / 100n);
    expect(supplyAprRay({ ...STABLE, basePpm: 10_000n }, 0n)).toBe(0n);
  });

  it('never falls as utilization rises', () => {
    forAll(curve, utilization, utilization, (one, a, b) => {
      const [low, high] = a < b ? [a, b] : [b, a];
      expect(borrowAprRay(one, low) <= borrowAprRay(one, high)).toBe(true);
      expect(supplyAprRay(one, low) <= supplyAprRay(one, high)).toBe(true);
      const apy = (at: bigint) => curveFeed(one, fixedFeed(at)).at(0);
      expect(apy(low) <= apy(high)).toBe(true);
    });
  });

  it("is continuous at the kink, with each side's slope", () => {
    forAll(curve, (one) => {
      const kink = borrowAprRay(one, one.optimalPpm);
      const step = RAY / PPM;
      expect(kink).toBe((one.basePpm + one.slope1Ppm) * step);
      const below = kink - borrowAprRay(one, one.optimalPpm - 1n);
      const above = borrowAprRay(one, one.optimalPpm + 1n) - kink;
      expect(below <= (one.slope1Ppm * step) / one.optimalPpm + 1n).toBe(true);
      expect(above <= (one.slope2Ppm * step) / (PPM - one.optimalPpm) + 1n).toBe(true);
    });
  });

  it('stays between its base and the sum of its slopes, and pays savers at most what borrowers pay', () => {
    forAll(curve, utilization, (one, at) => {
      const { basePpm, slope1Ppm, slope2Ppm, reserveFactorPpm } = one;
      const [borrow, supply, step] = [borrowAprRay(one, at), supplyAprRay(one, at), RAY / PPM];
      expect(borrow >= basePpm * step && borrow <= (basePpm + slope1Ppm + slope2Ppm) * step).toBe(true);
      // What savers get for all savings is at most what borrowers pay for the borrowed part, less the reserve.
      expect(supply * PPM * PPM <= borrow * at * (PPM - reserveFactorPpm)).toBe(true);
      expect(supply >= 0n && supply <= borrow).toBe(true);
    });
  });

  it('compounds by the second: an APR of 5 % is an APY of 5.1271 %', () => {
    expect([0n, RAY / 20n, RAY].map(apyOfAprPpm)).toEqual([0n, 51_271n, 1_718_281n]);
    forAll(fc.bigInt(0n, 2n * RAY), (apr) => {
      const exact = (1 + Number(apr) / Number(RAY) / 31_536_000) ** 31_536_000 - 1;
      expect(Number(apyOfAprPpm(apr)) / 1e6).toBeCloseTo(exact, 4);
    });
  });

  it('rejects parameters outside the bounds that lending protocols keep', () => {
    expect(checkCurve(STABLE)).toBe(STABLE);
    for (const [change, text] of [
      [{ optimalPpm: 9_999n }, 'optimal'],
      [{ optimalPpm: 990_001n }, 'optimal'],
      [{ slope2Ppm: 39_999n }, 'slope2'],
      [{ basePpm: 9_360_001n }, '1000 %'],
      [{ reserveFactorPpm: PPM + 1n }, 'reserveFactor'],
    ] as const) {
      expect(() => checkCurve({ ...STABLE, ...change }), text).toThrow(text);
    }
  });

  it('takes utilization from a number, a series or a walk within 0 and 1', () => {
    const stable = { base: 0, slope1: 0.04, slope2: 0.6, optimal: 0.9, reserveFactor: 0.1 };
    const options = { digits: 6, seed: 's', startMs: 0 };
    const source = (used: PriceSource) => feedOf({ curve: { ...stable, utilization: used } }, options);
    expect(source(0.45).at(0)).toBe(8_132n);
    const series = source({
      series: [
        { at: 0, value: 0.45 },
        { at: 1_000, value: 1 },
      ],
    });
    expect([series.at(0), series.nextChangeAfter(0), series.at(1_000)]).toEqual([8_132n, 1_000, 778_908n]);
    const walked = source({ walk: { start: 0.95, every: '1h', step: 0.5 } });
    const values = Array.from({ length: 500 }, (_, at) => walked.at(at * 3_600_000));
    expect(Math.max(...values.map(Number))).toBe(778_908);
    expect(new Set(values).size).toBeGreaterThan(50);
    expect(() => source(-0.1)).toThrow(RangeError);
  });
});
