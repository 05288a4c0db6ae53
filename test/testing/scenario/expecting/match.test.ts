import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { described, mismatches, shown } from '../../../../src/testing/scenario/expecting/match.js';
import { isMatcher, matcherSchema } from '../../../../src/testing/scenario/expecting/matchers.js';
import { forAll } from '../../../support/for-all.js';

/** Matchers with their descriptions, values that match, and values that do not. */
const WORDS: readonly [object, string, right: readonly unknown[], wrong: readonly unknown[]][] = [
  [{ between: [1, 2] }, 'between 1 and 2', [1, 1.5, 2], [0.999, 2.001, '1.5', null]],
  [
    { between: ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'] },
    'between 2026-01-01T00:00:00Z and 2026-01-02T00:00:00Z',
    ['2026-01-01T00:00:00.000Z', '2026-01-02T01:00:00+01:00'],
    ['2026-01-02T00:00:01Z', 'soon', 1_767_225_600_000],
  ],
  [{ above: 1 }, 'above 1', [1.000_001], [1, 0, '2', undefined]],
  [{ below: 1 }, 'below 1', [0.999_999, -5], [1, 2, null]],
  [{ atLeast: 1 }, 'at least 1', [1, 2], [0.999, '1']],
  [{ atMost: 1 }, 'at most 1', [1, 0], [1.001, [1]]],
  [{ near: 5 }, '5, give or take 0.000001', [5, 5.000_000_9], [5.000_002, 4.9, '5']],
  [{ near: 5, by: 0.5 }, '5, give or take 0.5', [4.5, 5.5], [4.4, 5.6]],
  [{ matches: '^a+$' }, 'text like /^a+$/', ['a', 'aaa'], ['b', 'ab', 5, null]],
  [
    { contains: 'bank' },
    'a text or list that contains "bank"',
    ['a bank', 'bank'],
    ['bunk', null, { bank: 1 }],
  ],
  [
    { contains: { id: 2 } },
    'a text or list that contains {"id":2}',
    [[{ id: 1 }, { id: 2, more: true }]],
    [[], [{ id: 3 }], { id: 2 }, '{"id":2}'],
  ],
  [{ length: 2 }, 'of length 2', ['ab', [1, 2]], ['a', [], { length: 2 }, 2]],
  [{ length: { atLeast: 1 } }, 'of length at least 1', ['a', [1, 2]], ['', [], null]],
  [{ each: { above: 0 } }, 'a list whose elements are all above 0', [[], [1, 2]], [[1, 0], 1, null]],
  [{ oneOf: ['a', { above: 1 }] }, 'one of "a", above 1', ['a', 2], ['b', 1, undefined]],
  [{ not: 'a' }, 'not "a"', ['b', null, undefined], ['a']],
  [{ not: { above: 1 } }, 'not above 1', [1, 'x'], [2]],
  [{ equals: { id: 1 } }, 'exactly {"id":1}', [{ id: 1 }], [{ id: 1, more: 2 }, {}, '{"id":1}']],
  [{ absent: true }, 'nothing', [undefined], [null, 0, '']],
  [{ absent: false }, 'something', [null, 0, ''], [undefined]],
  [{ type: 'string' }, 'of type string', [''], [1, null]],
  [{ type: 'object' }, 'of type object', [{}], [[], null]],
  [{ type: 'array' }, 'of type array', [[]], [{}, 'a']],
  [{ type: 'null' }, 'of type null', [null], [undefined, 0, {}]],
  [{ above: 1, not: 3 }, 'above 1, not 3', [2, 4], [1, 3]],
];

describe('matcher', () => {
  it.each(WORDS)('holds for its values only, and describes them: %j', (matcher, words, right, wrong) => {
    expect(matcherSchema.safeParse(matcher).success).toBe(true);
    expect(described(matcher)).toBe(words);
    for (const actual of right) expect(mismatches(actual, matcher), shown(actual)).toEqual([]);
    for (const actual of wrong) {
      const found = mismatches(actual, matcher, 'here');
      expect(found.length, shown(actual)).toBeGreaterThan(0);
      for (const each of found) {
        expect(words).toContain(each.expected);
        expect(each).toMatchObject({ path: 'here', actual: shown(actual) });
      }
    }
  });

  it('is tested for each word of the schema', () => {
    const tried = new Set(WORDS.flatMap(([matcher]) => Object.keys(matcher)));
    expect(Object.keys(matcherSchema.shape).filter((word) => !tried.has(word))).toEqual([]);
  });

  it('reports each word that does not hold', () => {
    expect(mismatches(5, { above: 6, below: 4, atLeast: 5 }, 'x')).toEqual([
      { path: 'x', expected: 'above 6', actual: '5' },
      { path: 'x', expected: 'below 4', actual: '5' },
    ]);
  });

  it('consists of matcher words only; another member makes it a plain object', () => {
    expect(isMatcher({ above: 1 })).toBe(true);
    for (const other of [{}, { above: 1, id: 1 }, [], null, 'above', ['above']])
      expect(isMatcher(other)).toBe(false);
    expect(mismatches({ above: 1, id: 1 }, { above: 1, id: 1 })).toEqual([]);
    expect(mismatches(2, { above: 1, id: 1 })).toHaveLength(1);
  });

  it('works within lists, objects and other matchers', () => {
    const loans = [{ amount: 5 }, { amount: 7 }];
    const [below, above] = [{ amount: { below: 6 } }, { amount: { above: 6 } }];
    expect(mismatches({ loans }, { loans: [below, above] })).toEqual([]);
    expect(mismatches({ loans }, { loans: { each: { not: { amount: 6 } } } })).toEqual([]);
    expect(mismatches({ loans }, { loans: [below, below] })).toEqual([
      { path: 'loans.1.amount', expected: 'below 6', actual: '7' },
    ]);
  });
});

describe('expected value', () => {
  it('matches an object with further members, at any depth', () => {
    const actual = { a: 1, b: { c: 2, d: [3] }, e: null };
    for (const expected of [{}, { a: 1 }, { b: {} }, { b: { c: 2 } }, { b: { d: [3] }, e: null }])
      expect(mismatches(actual, expected)).toEqual([]);
    expect(mismatches(actual, { a: 2, b: { c: 2, x: 9 }, e: 0 })).toEqual([
      { path: 'a', expected: '2', actual: '1' },
      { path: 'b.x', expected: '9', actual: 'nothing' },
      { path: 'e', expected: '0', actual: 'null' },
    ]);
  });

  it('names members by dotted or bracketed paths, and prefers a member with the whole name', () => {
    const actual = { a: { b: [{ c: 1 }] }, 'a.x': 5 };
    expect(mismatches(actual, { 'a.b.0.c': 1, 'a.b[0].c': 1, 'a.x': 5 })).toEqual([]);
    expect(mismatches(actual, { 'a.b[0].c': 2 })).toEqual([{ path: 'a.b[0].c', expected: '2', actual: '1' }]);
    expect(mismatches(actual, { 'a.b.1.c': { absent: true }, 'a.b.0.c.d': { absent: true } })).toEqual([]);
  });

  it('matches a list of the same length only', () => {
    expect(mismatches([1, 2], [1, 2])).toEqual([]);
    for (const wrong of [[1], [1, 2, 3], [], '1,2', { 0: 1, 1: 2 }, null])
      expect(mismatches(wrong, [1, 2], 'list')).toEqual([
        { path: 'list', expected: '[1,2]', actual: shown(wrong) },
      ]);
    expect(mismatches([1, 3], [1, 2])).toEqual([{ path: '1', expected: '2', actual: '3' }]);
  });

  it('matches no value of another type', () => {
    const values = [0, '', '0', false, null, undefined, [], {}];
    for (const [at, actual] of values.entries())
      for (const [other, expected] of values.entries()) {
        const isSame = at === other;
        expect(mismatches(actual, expected).length === 0, `${shown(actual)} as ${shown(expected)}`).toBe(
          isSame,
        );
      }
  });

  it('does not match inherited members', () => {
    expect(mismatches({}, { constructor: { absent: true }, 'toString.name': { absent: true } })).toEqual([]);
    expect(mismatches([], { length: { above: -1 } })).toEqual([]);
  });
});

describe('value in a message', () => {
  it('is JSON, truncated when long', () => {
    const values = ['a', null, undefined, { a: [1] }];
    expect(values.map((value) => shown(value))).toEqual(['"a"', 'null', 'nothing', '{"a":[1]}']);
    const long = shown('x'.repeat(1_000));
    expect(long).toHaveLength(298);
    expect(long.endsWith('…')).toBe(true);
  });
});

// Names that are no words of matchers and have no points, which are paths.
const name = fc.string({ minLength: 1, maxLength: 5 }).map((text) => `_${text.replaceAll(/[.[\]]/g, '')}`);
const leaf = fc.oneof(fc.string(), fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null));
const json = fc.anything({ key: name, values: [leaf], maxDepth: 3, maxKeys: 4 });

/** Paths of all leaves of a value. */
function leaves(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([part, member]) => leaves(member, [...path, part]));
}

/** The value with another leaf at a path. */
function changed(value: unknown, [part, ...rest]: readonly string[]): unknown {
  if (part === undefined) return typeof value === 'string' ? `${value}!` : 'another';
  if (Array.isArray(value))
    return value.map((element, at) => (String(at) === part ? changed(element, rest) : (element as unknown)));
  const members = value as Record<string, unknown>;
  return { ...members, [part]: changed(members[part], rest) };
}

describe('any JSON value', () => {
  it('matches itself', () => {
    forAll(json, (value) => mismatches(value, structuredClone(value)).length === 0);
  });

  it('does not match with one leaf changed, and the mismatch has the leaf’s path', () => {
    const withLeaf = json.filter((value) => leaves(value).length > 0);
    forAll(withLeaf, fc.nat(), (value, at) => {
      const paths = leaves(value);
      const path = paths[at % paths.length] ?? [];
      const [found, ...others] = mismatches(changed(value, path), value);
      expect(found?.path).toBe(path.join('.'));
      expect(others).toEqual([]);
    });
  });
});
