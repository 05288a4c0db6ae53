import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RAY } from '../../src/core/domain/rates.js';
import {
  type Feed,
  type FeedPoint,
  type TimeVaryingValue,
  fixedFeed,
  seriesFeed,
} from '../../src/world/feed.js';
import { Oracle } from '../../src/world/oracle.js';
import { Timeline } from '../../src/world/timeline.js';
import { YieldIndex } from '../../src/world/yield-index.js';
import { forAll, forAllOf } from '../support/for-all.js';

const START = Date.UTC(2026, 0, 1);
const END = 60;

// Feeds of a few small values that change often, so that changes coincide.
const feed: fc.Arbitrary<Feed> = fc
  .uniqueArray(fc.record({ atMs: fc.nat(END), value: fc.bigInt(0n, 3n) }), {
    minLength: 1,
    maxLength: 6,
    selector: ({ atMs }) => atMs,
  })
  .map((points) => seriesFeed(points));

/** The feed's values at every instant of the span. */
function valuesOf(one: TimeVaryingValue): bigint[] {
  return Array.from({ length: END + 1 }, (_, atMs) => one.at(atMs));
}

describe('Timeline', () => {
  const step = fc.record({ feed, afterMs: fc.nat(12), aheadMs: fc.nat(12) });

  it('has the value set last for each instant, and keeps past values', () => {
    forAll(feed, fc.array(step, { maxLength: 8 }), (first, steps) => {
      let line = Timeline.of(first, 0);
      let model = valuesOf(first);
      let nowMs = 0;
      for (const { feed: next, afterMs, aheadMs } of steps) {
        nowMs = Math.min(END, nowMs + afterMs);
        const fromMs = Math.min(END, nowMs + aheadMs);
        line = line.follow(next, fromMs, { isPlanned: aheadMs > 0 });
        model = [...model.slice(0, fromMs), ...valuesOf(next).slice(fromMs)];
        expect(valuesOf(line)).toEqual(model);
      }
    });
  });

  it('reports every change', () => {
    forAll(feed, fc.array(step, { maxLength: 6 }), (first, steps) => {
      const line = steps.reduce(
        (made, one) => made.follow(one.feed, one.afterMs * 3, { isPlanned: one.aheadMs > 0 }),
        Timeline.of(first, 0),
      );
      const values = valuesOf(line);
      let said = 0;
      for (let atMs = line.nextChangeAfter(-1); atMs !== null; atMs = line.nextChangeAfter(atMs)) {
        expect(atMs).toBeGreaterThanOrEqual(said);
        for (let between = said + 1; between < atMs; between += 1) {
          expect(values[between]).toBe(values[said]);
        }
        said = atMs;
      }
      for (let rest = said; rest <= END; rest += 1) expect(values[rest]).toBe(values[said]);
    });
  });

  it('lists the same changes in pages of any size', () => {
    const moved = fc.array(step, { maxLength: 5 });
    forAll(feed, moved, fc.integer({ min: 1, max: 9 }), fc.nat(END), (first, steps, limit, from) => {
      const line = steps.reduce(
        (made, one) => made.follow(one.feed, one.afterMs * 3, { isPlanned: true }),
        Timeline.of(first, 0),
      );
      const whole = line.changes(from, END, 1_000);
      expect(whole.nextMs).toBeNull();
      const paged: FeedPoint[] = [];
      for (let next: number | null = from; next !== null;) {
        const page = line.changes(next, END, limit);
        expect(page.points.length).toBeLessThanOrEqual(limit);
        paged.push(...page.points);
        next = page.nextMs;
      }
      const deduplicated = paged.filter(({ value }, at) => value !== paged[at - 1]?.value);
      expect(deduplicated).toEqual(whole.points);
      const again = seriesFeed(whole.points);
      expect(valuesOf(again).slice(from)).toEqual(valuesOf(line).slice(from));
    });
  });

  it('discards later planned changes when another value is set', () => {
    const line = Timeline.of(fixedFeed(1n), 0)
      .follow(fixedFeed(2n), 10, { isPlanned: true })
      .follow(fixedFeed(3n), 20, { isPlanned: true });
    expect(line.plannedAfter(0)).toEqual([10, 20]);
    expect(line.plannedAfter(10)).toEqual([20]);
    const other = line.follow(fixedFeed(4n), 5, { isPlanned: false });
    expect([other.plannedAfter(0), other.at(4), other.at(30)]).toEqual([[5], 1n, 4n]);
    expect(line.at(30)).toBe(3n);
    const twice = line.follow(fixedFeed(5n), 20, { isPlanned: true });
    expect([twice.plannedAfter(0), twice.at(20)]).toEqual([[10, 20], 5n]);
  });

  it('counts feed changes and planned ones as events, but not values set immediately', () => {
    const line = Timeline.of(fixedFeed(1n), 0)
      .follow(fixedFeed(2n), 10, { isPlanned: false })
      .follow(fixedFeed(3n), 20, { isPlanned: true });
    expect(line.nextChangeAfter(0)).toBe(10);
    expect([line.nextEventAfter(0), line.nextEventAfter(20)]).toEqual([20, null]);
  });
});

describe('stale oracle', () => {
  const prices = { USDC: fixedFeed(100n), SOL: fixedFeed(200n) };
  const rising = (feedStart: number) =>
    seriesFeed(
      Array.from({ length: 10 }, (_, at) => ({ atMs: feedStart + at * 1_000, value: BigInt(at + 1) })),
    );
  const oracle = () => new Oracle({ apy: { USDC: rising(START), SOL: fixedFeed(0n) }, price: prices }, START);

  it('holds all its values without reporting changes, then follows its sources again', () => {
    const one = oracle();
    one.setStale(true, START + 2_500);
    expect([one.apyPpm('USDC', START + 9_000), one.staleSinceMs()]).toEqual([3n, START + 2_500]);
    expect(one.nextChanges(START + 2_500)).toEqual([]);
    one.setStale(true, START + 4_000);
    expect(one.staleSinceMs()).toBe(START + 2_500);
    one.setStale(false, START + 6_000);
    expect([5_999, 6_000, 7_000].map((ms) => one.apyPpm('USDC', START + ms))).toEqual([3n, 7n, 8n]);
    expect(one.nextChanges(START + 6_000)[0]?.atMs).toBe(START + 7_000);
  });

  it('applies replaced sources only when it is fresh again', () => {
    const one = oracle();
    one.setStale(true, START);
    one.follow('usd', 'SOL', fixedFeed(9n), { fromMs: START, nowMs: START });
    one.follow('usd', 'SOL', fixedFeed(10n), { fromMs: START + 50, nowMs: START });
    expect(one.priceE8('SOL', START)).toBe(200n);
    expect(one.plannedAfter(START)).toEqual([{ atMs: START + 50, kind: 'usd', token: 'SOL' }]);
    one.setStale(false, START + 20);
    expect([19, 20, 50].map((ms) => one.priceE8('SOL', START + ms))).toEqual([200n, 9n, 10n]);
    expect(one.nextChanges(START + 20)).toEqual([{ atMs: START + 50, kind: 'price.changed', token: 'SOL' }]);
  });

  it('accrues yield exactly by the rates it published', () => {
    const move = fc.record({
      waitMs: fc.nat(5_000),
      what: fc.constantFrom('stale', 'fresh', 'set', 'plan', 'ask'),
      rate: fc.bigInt(0n, 5n).map((value) => value * 100_000n),
    });
    forAllOf(200, fc.array(move, { maxLength: 25 }), (moves) => {
      const one = oracle();
      let nowMs = START;
      for (const { waitMs, what, rate } of moves) {
        nowMs += waitMs;
        if (what === 'stale' || what === 'fresh') one.setStale(what === 'stale', nowMs);
        else if (what === 'ask') one.yieldIndex('USDC', nowMs);
        else {
          const fromMs = what === 'set' ? nowMs : nowMs + 3_333;
          one.follow('apy', 'USDC', fixedFeed(rate), { fromMs, nowMs });
        }
      }
      nowMs += 10_000;
      const { points } = one.timeline('apy', 'USDC').changes(START, nowMs, 10_000);
      const published = new YieldIndex(seriesFeed(points), START);
      expect(one.yieldIndex('USDC', nowMs)).toBe(published.at(nowMs));
      expect(one.yieldIndex('USDC', nowMs) >= RAY).toBe(true);
    });
  });

  it('applies a rate from the instant it is set, also when that instant was read before', () => {
    const one = new Oracle({ apy: { USDC: fixedFeed(0n), SOL: fixedFeed(0n) }, price: prices }, START);
    const nowMs = START + 1_000;
    for (const rate of [0n, 1_000_000n]) {
      one.follow('apy', 'USDC', fixedFeed(rate), { fromMs: nowMs, nowMs });
      expect(one.yieldIndex('USDC', nowMs)).toBe(RAY);
    }
    expect(one.yieldIndex('USDC', nowMs + 31_536_000_000)).toBe(2n * RAY);
  });

  it('restores a snapshot exactly: published values, planned changes, staleness and growth', () => {
    const move = fc.record({ waitMs: fc.nat(3_000), what: fc.nat(3), rate: fc.bigInt(0n, 900_000n) });
    const play = (
      one: Oracle,
      fromMs: number,
      moves: readonly { waitMs: number; what: number; rate: bigint }[],
    ): number => {
      let nowMs = fromMs;
      for (const { waitMs, what, rate } of moves) {
        nowMs += waitMs;
        if (what === 0) one.setStale(one.staleSinceMs() === null, nowMs);
        else if (what === 1) one.follow('apy', 'USDC', fixedFeed(rate), { fromMs: nowMs, nowMs });
        else if (what === 2) one.follow('usd', 'SOL', fixedFeed(rate), { fromMs: nowMs + 1_000, nowMs });
        else one.setOut(!one.isOut());
      }
      return nowMs;
    };
    const someMoves = fc.array(move, { maxLength: 12 });
    const look = (one: Oracle, atMs: number) => [
      one.yieldIndex('USDC', atMs),
      one.apyPpm('USDC', atMs),
      one.priceE8('SOL', atMs),
      one.staleSinceMs(),
      one.isOut(),
      one.plannedAfter(START),
      one.nextChanges(START),
      one.timeline('apy', 'USDC').changes(START, atMs, 1_000),
      one.timeline('usd', 'SOL').changes(START, atMs, 1_000),
    ];
    forAll(someMoves, someMoves, someMoves, (before, away, after) => {
      const [one, plain] = [oracle(), oracle()];
      const snapshotMs = play(one, START, before);
      play(plain, START, before);
      const snapshot = one.snapshot();
      const awayMs = play(one, snapshotMs, away);
      one.yieldIndex('USDC', awayMs + 60_000);
      one.restore(snapshot);
      const other = oracle();
      other.restore(snapshot);
      const endMs = play(plain, snapshotMs, after) + 7_777;
      for (const restored of [one, other]) {
        play(restored, snapshotMs, after);
        expect(look(restored, endMs)).toEqual(look(plain, endMs));
      }
    });
  });
});
