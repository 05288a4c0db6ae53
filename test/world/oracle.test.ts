import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RAY } from '../../src/core/domain/rates.js';
import { type TimeVaryingValue, fixedFeed, seriesFeed, walkFeed } from '../../src/world/feed.js';
import { Oracle } from '../../src/world/oracle.js';
import { YieldIndex } from '../../src/world/yield-index.js';
import { forAllOf } from '../support/for-all.js';

const START = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;
const YEAR = 365 * DAY;

const WALK = {
  seed: 'a',
  startMs: START,
  start: 50_000n,
  everyMs: 7_001,
  stepPpm: 900_000,
  min: 0n,
  max: 900_000n,
};

function indexOf(apy: TimeVaryingValue): YieldIndex {
  return new YieldIndex(apy, START);
}

describe('YieldIndex', () => {
  it('is the same after one jump over ten years as after ten yearly steps, to the 27th digit', () => {
    const slow = indexOf(fixedFeed(17_000n));
    let stepped = RAY;
    for (let year = 1; year <= 10; year += 1) stepped = slow.at(START + year * YEAR);
    expect(indexOf(fixedFeed(17_000n)).at(START + 10 * YEAR)).toBe(stepped);
    expect(stepped).toBe((RAY * 1_017n ** 10n) / 1_000n ** 10n);
  });

  it('does not depend on when it is read, including across rate changes', () => {
    const points = fc.uniqueArray(
      fc.record({ atMs: fc.nat(300 * DAY).map((ms) => START + ms), value: fc.bigInt(0n, 200_000n) }),
      { minLength: 1, maxLength: 8, selector: ({ atMs }) => atMs },
    );
    const asked = fc.array(fc.nat(400 * DAY), { maxLength: 12 });
    forAllOf(50, points, asked, (series, instants) => {
      const often = indexOf(seriesFeed(series));
      let last = RAY;
      for (const ms of instants.toSorted((a, b) => a - b)) {
        const now = often.at(START + ms);
        expect(now >= last).toBe(true);
        expect(now).toBe(indexOf(seriesFeed(series)).at(START + ms));
        last = now;
      }
    });
  });

  it('passes its changes in parts as at once', () => {
    const at = START + 1_000 * WALK.everyMs;
    forAllOf(30, fc.integer({ min: 1, max: 1_200 }), (most) => {
      const [parts, whole] = [indexOf(walkFeed(WALK)), indexOf(walkFeed(WALK))];
      let times = 1;
      while (!parts.passChanges(at, most)) times += 1;
      expect(times).toBe(Math.ceil(1_000 / most));
      whole.passChanges(at);
      expect(parts.at(at)).toBe(whole.at(at));
      expect({ ...parts.snapshot(), apy: null }).toEqual({ ...whole.snapshot(), apy: null });
    });
  });

  it('answers an earlier instant after a look ahead', () => {
    const change = { atMs: START + DAY, value: 900_000n };
    const [looked, plain] = [1, 2].map(() => indexOf(seriesFeed([{ atMs: START, value: 0n }, change])));
    looked?.at(START + 2 * DAY);
    expect(looked?.at(START + DAY + 5_000)).toBe(plain?.at(START + DAY + 5_000));
  });

  it('grows from second to second and not within one', () => {
    const index = indexOf(fixedFeed(1_000_000n));
    expect(index.at(START + 999)).toBe(RAY);
    expect(index.at(START + 1_000)).toBeGreaterThan(RAY);
    expect(index.at(START + 1_999)).toBe(index.at(START + 1_000));
  });

  it('does not grow early when a rate change is near', () => {
    const soon = seriesFeed([
      { atMs: START, value: 50_000n },
      { atMs: START + 1_500, value: 1_000_000n },
    ]);
    const index = indexOf(soon);
    expect(index.at(START + 999)).toBe(RAY);
    expect(index.at(START + 1_499)).toBe(indexOf(fixedFeed(50_000n)).at(START + 1_000));
  });
});

describe('Oracle', () => {
  const apy = { USDC: seriesFeed([{ atMs: START, value: 1n }]), SOL: fixedFeed(2n) };
  const points = (first: number, second: number) =>
    seriesFeed([
      { atMs: START, value: 1n },
      { atMs: START + first, value: 2n },
      { atMs: START + second, value: 3n },
    ]);

  it('lists the next changes, all of one instant together', () => {
    const oracle = new Oracle(
      { apy: { ...apy, USDC: points(10, 20) }, price: { USDC: points(10, 30), SOL: fixedFeed(1n) } },
      START,
    );
    const next = (afterMs: number) =>
      oracle.nextChanges(START + afterMs).map(({ atMs, kind, token }) => [atMs - START, kind, token]);
    expect(next(0)).toEqual([
      [10, 'yield.changed', 'USDC'],
      [10, 'price.changed', 'USDC'],
    ]);
    expect(next(9)).toEqual(next(0));
    expect(next(10)).toEqual([[20, 'yield.changed', 'USDC']]);
    expect(next(20)).toEqual([[30, 'price.changed', 'USDC']]);
    expect(next(30)).toEqual([]);
  });
});
