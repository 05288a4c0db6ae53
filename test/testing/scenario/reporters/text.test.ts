import { describe, expect, it } from 'vitest';
import {
  amountText,
  clipped,
  durationText,
  oneLine,
  printable,
  shorten,
  valueText,
  widthOf,
  wrapped,
} from '../../../../src/testing/scenario/reporters/text.js';

describe('report text', () => {
  it('has amounts without exponents, trailing zeros or binary noise', () => {
    expect(amountText('USDC', 25)).toBe('25');
    expect(amountText('USDC', 0.1 + 0.2)).toBe('0.3');
    expect(amountText('USDC', 0.000001)).toBe('0.000001');
    expect(amountText('SOL', 1e-9)).toBe('0.000000001');
    expect(amountText('SOL', 1e21)).toBe('1000000000000000000000');
    expect(amountText('USDC', -1e-9)).toBe('0');
    expect(amountText('USDC', -2.5)).toBe('-2.5');
  });

  it('has durations in fitting units', () => {
    expect([0.4, 12, 999.9, 61_234, 125_000].map(durationText)).toEqual([
      '0 ms',
      '12 ms',
      '1.0 s',
      '1 min 1 s',
      '2 min 5 s',
    ]);
  });

  it('contains no control characters', () => {
    expect(printable('a\u001b[2Jb\u0007\u202e')).toBe('a\\u001b[2Jb\\u0007\\u202e');
    expect(printable('a\r\nb\tc\rd')).toBe('a\nb  c\\u000dd');
    expect(oneLine('a\r\n  b\nc')).toBe('a b c');
  });

  it('states how much of a long text is left out', () => {
    expect(shorten('abcdef', 6)).toBe('abcdef');
    expect(shorten('abcdefgh', 6)).toBe('abcdef… (2 characters left out)');
    expect(shorten('abcde😀', 6)).toBe('abcde… (2 characters left out)');
  });

  it('has values as JSON, strings unquoted, and empty text for null', () => {
    expect(valueText({ amount: 5n })).toBe('{"amount":"5"}');
    expect(valueText('as it is')).toBe('as it is');
    expect(valueText(undefined)).toBe('');
    expect(valueText(null)).toBe('');
    expect(valueText(() => 1)).toBe('');
  });

  it('wraps at spaces and commas, and long words anywhere', () => {
    expect(wrapped('one two three four', 9)).toEqual(['one two', 'three', 'four']);
    expect(wrapped('{"a":1,"bb":2222}', 10)).toEqual(['{"a":1,', '"bb":2222}']);
    expect(wrapped('x'.repeat(20), 8)).toEqual(['xxxxxxxx', 'xxxxxxxx', 'xxxx']);
    expect(wrapped('a\n\nb', 8)).toEqual(['a', '', 'b']);
  });

  it('counts wide characters twice and combining accents not at all', () => {
    expect(widthOf('abc')).toBe(3);
    expect(widthOf('銀行')).toBe(4);
    expect(widthOf('e\u0301')).toBe(1);
    expect(wrapped('銀行銀行銀行', 8)).toEqual(['銀行銀行', '銀行']);
    expect(clipped('銀行銀行', 6)).toBe('銀行…');
  });
});
