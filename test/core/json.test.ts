import { describe, expect, it } from 'vitest';
import { mapTexts, textsIn, valueAt } from '../../src/core/json.js';

const upper = (text: string) => text.toUpperCase();

describe('strings in JSON', () => {
  it('are found with their paths', () => {
    expect([...textsIn({ a: ['x', { b: 'y' }], n: 1, none: null })]).toEqual([
      { path: 'a.0', text: 'x' },
      { path: 'a.1.b', text: 'y' },
    ]);
  });

  it('are known by the innermost member', () => {
    const seen: string[] = [];
    mapTexts({ a: ['x'], b: { c: 'y' } }, (text, member) => seen.push(`${member}=${text}`));
    expect(seen).toEqual(['a=x', 'c=y']);
  });

  it('leave a value as it is when nothing in it changes', () => {
    const value = { same: { deep: ['X'] }, other: { deep: ['x'] } };
    const mapped = mapTexts(value, upper) as typeof value;
    expect(mapped.same).toBe(value.same);
    expect(mapped.other).not.toBe(value.other);
    expect(mapTexts(value.same, upper)).toBe(value.same);
  });
});

it('a path leads to own members and elements only', () => {
  const value = { loans: [{ status: 'active' }] };
  expect(valueAt(value, 'loans[0].status')).toBe('active');
  expect(valueAt(value, 'loans.0.status')).toBe('active');
  expect(valueAt(value, 'loans.length')).toBe(1);
  expect(valueAt(value, 'constructor')).toBeUndefined();
});
