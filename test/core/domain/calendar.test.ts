import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DAY_MS,
  isoOf,
  parseDuration,
  parseInstant,
  startOfUtcDay,
} from '../../../src/core/domain/calendar.js';
import { forAll, forAllOf } from '../../support/for-all.js';

describe('instants', () => {
  const two = (number: number) => String(number).padStart(2, '0');

  it('accepts every day that a month has, and no other', () => {
    const parts = fc.record({
      year: fc.integer({ min: 1970, max: 9999 }),
      month: fc.integer({ min: 0, max: 13 }),
      day: fc.integer({ min: 0, max: 32 }),
      time: fc.constantFrom('', 'T00:00Z', 'T23:30:00+09:00', 'T12:00:00.123456-03:00'),
    });
    forAllOf(2_000, parts, ({ year, month, day, time }) => {
      const exists = month >= 1 && month <= 12 && day >= 1 && day <= new Date(year, month, 0).getDate();
      const text = `${year}-${two(month)}-${two(day)}${time}`;
      expect(parseInstant(text)).toBe(exists ? Date.parse(text) : null);
    });
  });

  it.each(['2026-01-01T24:00:00Z', '2026-01-01T23:60:00Z', '2026-01-01T23:59:60Z', '2026-01-01T00:00+24:00'])(
    'rejects the time %s',
    (text) => {
      expect(parseInstant(text)).toBeNull();
    },
  );
});

describe('durations', () => {
  it('sums the parts of the short form', () => {
    const parts = fc.record({
      w: fc.nat(99),
      d: fc.nat(5_000),
      h: fc.nat(99),
      m: fc.nat(99),
      s: fc.nat(99),
      ms: fc.nat(999),
    });
    forAll(parts, ({ w, d, h, m, s, ms }) => {
      const total = (w * 7 + d) * DAY_MS + h * 3_600_000 + m * 60_000 + s * 1_000 + ms;
      expect(parseDuration(`${w}w${d}d${h}h${m}m${s}s${ms}ms`)).toBe(total);
    });
  });

  it('sums the parts of the ISO 8601 form', () => {
    const parts = fc.record({ y: fc.nat(99), w: fc.nat(99), d: fc.nat(99), h: fc.nat(99), s: fc.nat(99) });
    forAll(parts, ({ y, w, d, h, s }) => {
      const total = (y * 365 + w * 7 + d) * DAY_MS + h * 3_600_000 + 5 * 60_000 + s * 1_000;
      expect(parseDuration(`P${y}Y${w}W${d}DT${h}H5M${s}S`)).toBe(total);
    });
  });

  it('reads M as minutes after the T only, and rejects months', () => {
    expect([parseDuration('PT1M'), parseDuration('P1M'), parseDuration('1m')]).toEqual([
      60_000,
      null,
      60_000,
    ]);
  });

  it('accepts fractions that come to whole milliseconds', () => {
    expect([parseDuration('1.5h'), parseDuration('0.25s'), parseDuration('PT1.5S')]).toEqual([
      5_400_000, 250, 1_500,
    ]);
  });

  it.each(['', '5', 'd', '1 d', 'P', 'PT', '-1d', '1h-2m', `${'9'.repeat(400)}d`, `P${'9'.repeat(400)}D`])(
    'rejects "%s"',
    (text) => expect(parseDuration(text)).toBeNull(),
  );

  it('parses any text to a non-negative integer or null', () => {
    const near = fc.string({
      unit: fc.constantFrom(...'PTYWDHMS0123456789.smhdwy -'.split('')),
      maxLength: 12,
    });
    forAllOf(2_000, fc.oneof(fc.string(), near), (text) => {
      const parsed = parseDuration(text);
      expect(parsed === null || (Number.isInteger(parsed) && parsed >= 0)).toBe(true);
    });
  });
});

it('days and seconds assigns an instant to its UTC day, including before 1970', () => {
  const instant = fc.integer({ min: -(10 ** 13), max: 10 ** 14 });
  forAll(instant, (atMs) => {
    const start = startOfUtcDay(atMs);
    expect(start <= atMs && atMs < start + DAY_MS).toBe(true);
    expect(isoOf(start).endsWith('T00:00:00.000Z')).toBe(true);
  });
});
