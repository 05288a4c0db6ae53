import { describe, expect, it } from 'vitest';
import { Walk, given, isImpossible, seriesFile } from '../../../../src/testing/fuzz/model/feeds.js';
import { Line } from '../../../../src/testing/fuzz/model/line.js';

const DAY_MS = 86_400_000;
const E8 = 100_000_000n;

function walk(more: object = {}): Walk {
  return new Walk({ start: 100, every: '1d', step: 0.02, ...more }, 'usd', 0);
}

describe('a walk in the model', () => {
  it('takes values within its bounds, and reports one that changes later', () => {
    const one = walk();
    expect(one.learn(DAY_MS, 102n * E8)).toBeNull();
    expect(one.at(2 * DAY_MS - 1)).toBe(102n * E8);
    expect(one.learn(DAY_MS + 1, 102n * E8)).toBeNull();
    expect(one.learn(DAY_MS, 101n * E8)).toMatch(/step 1 was 10200000000 and is 10100000000/);
  });

  it('moves by no more than its step, rounded down', () => {
    expect(walk().learn(DAY_MS, 98n * E8)).toBeNull();
    expect(walk().learn(DAY_MS, 98n * E8 - 1n)).toMatch(/moves by 200000001, and 200000000 is the most/);
    expect(walk().learn(0, 98n * E8)).toMatch(/step 0 was/);
  });

  it('stays within its bounds: given ones, or a quarter and four times of its start', () => {
    expect(walk({ max: 101 }).learn(DAY_MS, 101n * E8 + 1n)).toMatch(/beyond its bounds/);
    expect(walk({ step: 1 }).learn(DAY_MS, 25n * E8 - 1n)).toMatch(/beyond its bounds/);
    expect(walk({ step: 1, min: 0 }).learn(DAY_MS, 0n)).toBeNull();
  });

  it('goes up and down', () => {
    const falling = walk();
    const told = Array.from({ length: 64 }, (_, at) =>
      falling.learn((at + 1) * DAY_MS, 100n * E8 - BigInt(at + 1)),
    );
    expect(told.slice(0, -1).every((wrong) => wrong === null)).toBe(true);
    expect(told.at(-1)).toMatch(/all of its 64 moves go the same way/);
  });

  it('has no values beyond those that it has learned', () => {
    expect(() => walk().at(DAY_MS)).toThrow(/nobody has told/);
  });
});

describe('a published value in the model', () => {
  const fixed = (value: bigint) => ({ at: () => value, nextAfter: () => null });
  const begun = () => new Line([{ fromMs: 0, feed: fixed(1n), isPlanned: false }]);

  it('is replaced from an instant on, with all that was planned for later', () => {
    const planned = begun().follow(fixed(2n), 100, true).follow(fixed(3n), 200, true);
    expect([0, 99, 100, 199, 200].map((at) => planned.at(at))).toEqual([1n, 1n, 2n, 2n, 3n]);
    expect(planned.plannedAfter(99)).toEqual([100, 200]);
    expect(planned.follow(fixed(4n), 150, true).plannedAfter(0)).toEqual([100, 150]);
  });

  it('stands still while it is held, and goes on where it would be', () => {
    const series = given('usd', { series: [50, 150].map((at) => ({ at, value: at })) }, 50);
    const line = begun().follow(series, 50, false);
    const held = line.held(100);
    expect(held.at(160)).toBe(50n * E8);
    expect(held.resumed(line, 160).at(160)).toBe(150n * E8);
  });

  it('has a history by pages, without what changes nothing', () => {
    const line = begun().follow(fixed(1n), 10, true).follow(fixed(2n), 20, true);
    expect(line.changes(0, 30, 9)).toEqual({
      points: [
        { atMs: 0, value: 1n },
        { atMs: 20, value: 2n },
      ],
      nextMs: null,
    });
    expect(line.changes(0, 30, 2)).toEqual({ points: [{ atMs: 0, value: 1n }], nextMs: 20 });
  });

  it('learns of a walk from its beginning until what follows, and says what is missing', () => {
    const one = walk();
    const line = begun()
      .follow(one, 0, false)
      .follow(fixed(7n), 3 * DAY_MS, true);
    expect(line.hasWalk(3 * DAY_MS, 9 * DAY_MS)).toBe(false);
    expect(
      line.learn(0, 9 * DAY_MS, [
        { atMs: 0, value: 100n * E8 },
        { atMs: 2 * DAY_MS, value: 99n * E8 },
      ]),
    ).toBeNull();
    expect([one.at(DAY_MS), one.at(2 * DAY_MS)]).toEqual([100n * E8, 99n * E8]);
    expect(line.learn(0, DAY_MS, [])).toMatch(/not told/);
  });
});

describe('sources in the model', () => {
  const curve = { base: 0, slope1: 0.04, slope2: 0.6, optimal: 0.9, reserveFactor: 0.1, utilization: 0.45 };

  it('compound what savers get on a curve by the second', () => {
    // 2 % for borrowers, of which 45 % x 90 % reach savers: 0.81 %, compounded.
    expect(given('apy', { curve }, 0).at(0)).toBe(8_132n);
    expect(given('apy', { curve: { ...curve, utilization: 0 } }, 0).at(0)).toBe(0n);
  });

  it('are refused beyond the bounds of a protocol', () => {
    expect(isImpossible({ curve })).toBe(false);
    for (const wrong of [{ optimal: 0.009 }, { optimal: 0.991 }, { slope2: 0.039 }, { slope2: 9.960001 }])
      expect(isImpossible({ curve: { ...curve, ...wrong } }), JSON.stringify(wrong)).toBe(true);
  });

  it('are read from a series file, rounded half up, without empty cells', () => {
    const csv =
      'time,usdc_apy,sol_usd\n2026-01-01T02:00:00+02:00,0.0499995,\n2026-01-02T00:00:00Z,,33.333333335\n';
    expect(seriesFile(csv)).toEqual({
      columns: [
        { kind: 'apy', token: 'USDC', points: [{ atMs: Date.UTC(2026, 0, 1), value: 50_000n }] },
        { kind: 'usd', token: 'SOL', points: [{ atMs: Date.UTC(2026, 0, 2), value: 3_333_333_334n }] },
      ],
    });
  });
});
