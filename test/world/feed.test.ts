import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONGEST_WALK, seriesFeed, walkFeed } from '../../src/world/feed.js';
import { parseSeriesCsv, scaled } from '../../src/world/series-csv.js';
import { feedOf, oracleFeeds, seriesPoints, toUnits } from '../../src/world/sources.js';
import { forAll, forAllOf } from '../support/for-all.js';

const START = Date.UTC(2026, 0, 1);

describe('series feed', () => {
  it('has at every instant the value of the last point before it, for points in any order', () => {
    const points = fc.uniqueArray(
      fc.record({ atMs: fc.integer({ min: -50, max: 50 }), value: fc.bigInt(0n, 9n) }),
      { minLength: 1, maxLength: 12, selector: ({ atMs }) => atMs },
    );
    forAll(points, fc.integer({ min: -60, max: 60 }), (given, atMs) => {
      const feed = seriesFeed(given);
      const sorted = given.toSorted((a, b) => a.atMs - b.atMs);
      expect(feed.at(atMs)).toBe((sorted.findLast((point) => point.atMs <= atMs) ?? sorted[0])?.value);
      expect(feed.nextChangeAfter(atMs)).toBe(sorted.find((point) => point.atMs > atMs)?.atMs ?? null);
    });
  });

  it('uses the later of two points at one instant and requires at least one point', () => {
    const feed = seriesFeed([
      { atMs: 1, value: 1n },
      { atMs: 1, value: 2n },
    ]);
    expect([feed.at(1), feed.nextChangeAfter(0), feed.nextChangeAfter(1)]).toEqual([2n, 1, null]);
    expect(() => seriesFeed([])).toThrow(RangeError);
  });
});

describe('walk feed', () => {
  const walk = {
    seed: 'w',
    startMs: START,
    start: 1_000n,
    everyMs: 60_000,
    stepPpm: 50_000,
    min: 900n,
    max: 1_100n,
  };

  it('has the same value at an instant whether reached step by step or directly', () => {
    const instants = fc.array(fc.nat(500 * walk.everyMs), { minLength: 1, maxLength: 20 });
    forAllOf(20, instants, (asked) => {
      const one = walkFeed(walk);
      for (const atMs of asked) expect(walkFeed(walk).at(START + atMs)).toBe(one.at(START + atMs));
    });
    const first = START + walk.everyMs;
    expect(walkFeed({ ...walk, seed: 'other' }).at(first)).not.toBe(walkFeed(walk).at(first));
  });

  it('moves up and down by at most its step, within its bounds', () => {
    const feed = walkFeed(walk);
    const values = Array.from({ length: 1_000 }, (_, at) => feed.at(START + at * walk.everyMs));
    let [ups, downs] = [0, 0];
    for (const [at, value] of values.slice(1).entries()) {
      const last = values[at] as bigint;
      const moved = value - last;
      if (moved > 0n) ups += 1;
      if (moved < 0n) downs += 1;
      expect((moved < 0n ? -moved : moved) * 1_000_000n <= last * 50_000n).toBe(true);
      expect(value >= 900n && value <= 1_100n).toBe(true);
    }
    expect(Math.min(ups, downs)).toBeGreaterThan(300);
  });

  it('changes at its interval and has its start value before it begins', () => {
    const feed = walkFeed(walk);
    expect([feed.at(START - 5), feed.at(START), feed.at(START + 59_999)]).toEqual([1_000n, 1_000n, 1_000n]);
    expect(feed.nextChangeAfter(START)).toBe(START + 60_000);
    expect(feed.nextChangeAfter(START + 59_999)).toBe(START + 60_000);
    expect(feed.nextChangeAfter(START + 60_000)).toBe(START + 120_000);
  });

  it('stops changing after its maximum number of steps', () => {
    const feed = walkFeed({ ...walk, everyMs: 1 });
    const endMs = START + LONGEST_WALK;
    expect(feed.nextChangeAfter(endMs - 1)).toBe(endMs);
    expect(feed.nextChangeAfter(endMs)).toBeNull();
    const later = [1, 50, 1_000].map((ms) => feed.at(endMs + ms));
    expect(later).toEqual(later.map(() => feed.at(endMs)));
  });

  it('has the values of earlier versions, which state files and recordings rely on', () => {
    const wide = { ...walk, startMs: 0, start: 1_000_000n, everyMs: 1, min: 1n, max: 10n ** 15n };
    expect([1, 10, 1_000, LONGEST_WALK].map((step) => walkFeed(wide).at(step))).toEqual([
      964_342n,
      889_276n,
      4_064_046n,
      19n,
    ]);
  });

  it('rejects an interval under a millisecond', () => {
    for (const everyMs of [0, -1, 0.5, Number.NaN]) {
      expect(() => walkFeed({ ...walk, everyMs }), String(everyMs)).toThrow(RangeError);
    }
  });
});

describe('series CSV', () => {
  it('keeps the previous value for an empty cell and accepts columns in any order and both line ends', () => {
    const text = 'time,sol_usd,usdc_apy\r\n2026-01-01T00:00:00Z,150,\r\n\r\n2026-01-02T00:00:00Z,,0.0175\r\n';
    expect(parseSeriesCsv(text)).toEqual({
      sol_usd: [{ atMs: START, value: 15_000_000_000n }],
      usdc_apy: [{ atMs: START + 86_400_000, value: 17_500n }],
    });
  });

  it('reads quoted cells, and semicolons or tabs between them', () => {
    for (const between of [',', ';', '\t']) {
      const row = ['"2026-01-01T00:00:00Z"', '"150"'].join(between);
      const text = `\uFEFF"time"${between}sol_usd\r\n${row}\r\n`;
      expect(parseSeriesCsv(text), between).toEqual({ sol_usd: [{ atMs: START, value: 15_000_000_000n }] });
    }
    expect(() => parseSeriesCsv('time,sol_usd\n2026-01-01T00:00:00Z,"150\n')).toThrow('line 2: Quoted field');
  });

  it('says of a header in other letters what is wrong with it', () => {
    expect(() => parseSeriesCsv('Time,SOL_USD\n')).toThrow(
      'line 1: expected "time" and any of usdc_apy, sol_apy, usdc_usd, sol_usd, in lower case; found "Time,SOL_USD"',
    );
  });

  it.each([
    ['2026-13-01T00:00:00Z,0.01', 'not an ISO 8601 instant'],
    ['2026-01-01T00:00:00,0.01', 'not an ISO 8601 instant'],
    ['2026-01-01 00:00,0.01', 'not an ISO 8601 instant'],
    ['Jan 5 2026,0.01', 'not an ISO 8601 instant'],
    ['5,0.01', 'not an ISO 8601 instant'],
    ['2026-01-01T00:00:00Z,-0.01', '"-0.01" is not a decimal'],
    ['2026-01-01T00:00:00Z,1e-2', '"1e-2" is not a decimal'],
    ['2026-01-01T00:00:00Z,1.7%', '"1.7%" is not a decimal'],
    ['2026-01-01T00:00:00Z,1000000000.000001', 'is not a decimal from 0 to 1e9'],
    ['2026-01-01T00:00:00Z', '1 cells, 2 columns'],
    ['2026-01-01T00:00:00Z,0.01,5', '3 cells, 2 columns'],
  ])('reports the number of the first invalid line: %s', (bad, text) => {
    const good = '2026-01-01T00:00:00Z,0.01';
    const file = () => parseSeriesCsv(['time,usdc_apy', good, '', bad, good].join('\n'));
    expect(file).toThrow('line 4: ');
    expect(file).toThrow(text);
  });

  it('reports line 1 for a missing time column, a missing value column or an unknown column', () => {
    for (const header of ['', 'time', 'usdc_apy,time', 'time,eur_usd', 'time,usdc_apy,']) {
      expect(() => parseSeriesCsv(`${header}\n`), header).toThrow('line 1: ');
    }
  });

  it('is parsed or rejected with a line number, for any content', () => {
    const unit = fc.constantFrom(...'time,usdc_apy0123456789.-:TZ\n\r '.split(''));
    const text = fc.string({ unit, maxLength: 80 });
    forAllOf(500, fc.boolean(), text, (withHeader, body) => {
      try {
        parseSeriesCsv(withHeader ? `time,usdc_apy\n${body}` : body);
      } catch (error) {
        expect((error as Error).message).toMatch(/^line \d+: /);
      }
    });
  });

  it('overrides the single sources column by column', () => {
    const csv = 'time,usdc_apy\n2026-01-01T00:00:00Z,0.05\n';
    const feeds = oracleFeeds({ usdcApy: 0.01, solApy: 0.02, usdcUsd: 1, solUsd: 150, csv }, 'seed', START);
    expect(
      [feeds.apy.USDC, feeds.apy.SOL, feeds.price.USDC, feeds.price.SOL].map((feed) => feed.at(START)),
    ).toEqual([50_000n, 20_000n, 100_000_000n, 15_000_000_000n]);
  });
});

describe('source in human units', () => {
  it('converts to the nearest base unit', () => {
    const units = [toUnits(0.017, 6), toUnits(150.123456785, 8), toUnits(0, 6)];
    expect(units).toEqual([17_000n, 15_012_345_679n, 0n]);
    const texts = [scaled('0.0000005', 6), scaled('0.00000049', 6), scaled('999999999.12345678', 8)];
    expect(texts).toEqual([1n, 0n, 99_999_999_912_345_678n]);
    forAll(fc.nat(10 ** 9), (many) => {
      expect(toUnits(many / 1e6, 6)).toBe(BigInt(many));
      expect(scaled((many / 1e6).toFixed(6), 6)).toBe(BigInt(many));
    });
  });

  it('bounds a walk by a quarter and four times its start by default', () => {
    const options = { digits: 6, seed: 's', startMs: START };
    const feed = feedOf({ walk: { start: 0.02, every: '1h', step: 0.5 } }, options);
    const values = Array.from({ length: 2_000 }, (_, at) => feed.at(START + at * 3_600_000));
    const [low, high] = values.reduce(([a, b], v) => [v < a ? v : a, v > b ? v : b], [10n ** 9n, 0n]);
    expect([low, high]).toEqual([5_000n, 80_000n]);
  });

  it('rejects a walk that does not begin within its bounds', () => {
    const options = { digits: 6, seed: 's', startMs: START };
    const walk = { start: 150, every: '1h', step: 0.02 };
    for (const bounds of [{ min: 200 }, { max: 100 }, { min: 200, max: 100 }])
      expect(() => feedOf({ walk: { ...walk, ...bounds } }, options)).toThrow('from min to max');
  });

  it('reads rates and prices of a series as JSON as those of its file', () => {
    const at = '2026-01-01T00:00:00.000Z';
    const json = { usdc_apy: [{ at, value: 0.0499995 }], sol_usd: [{ at, value: 33.333333333 }] };
    const points = seriesPoints(`time,usdc_apy,sol_usd\n${at},0.0499995,33.333333333\n`);
    expect(seriesPoints(json)).toEqual(points);
    expect(points.usdc_apy).toEqual([{ atMs: Date.parse(at), value: 50_000n }]);
  });

  it('accepts the instants of a series as text or milliseconds', () => {
    const series = [
      { at: '2026-01-02T00:00:00Z', value: 0.02 },
      { at: START, value: 0.01 },
    ];
    const feed = feedOf({ series }, { digits: 6, seed: 's', startMs: START });
    expect([feed.at(START), feed.at(START + 86_400_000)]).toEqual([10_000n, 20_000n]);
  });
});
