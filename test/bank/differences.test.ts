import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differences, formOf, withDifferences } from '../../src/bank/differences.js';
import { Amount } from '../../src/core/domain/money.js';

/** Values of responses, and edge cases: strings that are or nearly are base64, and numbers that JSON cannot represent. */
const leaf = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.stringMatching(/^[\w+/-]{18,90}={0,2}$/),
  fc.base64String({ minLength: 16 }),
  fc.uuid(),
  fc.double(),
  fc.constantFrom<unknown>(null, undefined, true, false, 0, -0, 'é'.repeat(700)),
  fc.bigInt(),
  fc.tuple(fc.bigInt(), fc.nat(12)).map(([units, decimals]) => new Amount(units, decimals)),
);

/** Values with the same members. */
const answer = fc.tuple(leaf, leaf, leaf, leaf).map(([id, amount, other, last]) => ({
  ok: true,
  value: { id, amount, list: [other, { again: id }, {}], last },
}));

const anything = fc.oneof(
  answer,
  leaf,
  fc.object({ values: [leaf], withNullPrototype: false }),
  fc.array(leaf),
  fc.constant(new Uint8Array(3)),
  fc.constant(JSON.parse('{"__proto__":{"a":1}}') as unknown),
  fc.constant(Array.from({ length: 300 }, (_, at) => at)),
);

describe('differences from a form', () => {
  it('restore the value exactly', () => {
    fc.assert(
      fc.property(answer, answer, (one, two) => {
        const form = formOf(one);
        const text = differences(form, two);
        expect(text).not.toBeNull();
        expect(withDifferences(form, text as string)).toStrictEqual(two);
        expect(differences(form, one)).toBe('');
        expect(withDifferences(form, '')).toStrictEqual(one);
      }),
    );
  });

  it('are null when the structure differs or does not fit', () => {
    fc.assert(
      fc.property(anything, anything, (one, two) => {
        const form = formOf(one);
        const text = differences(form, two);
        if (text !== null) expect(withDifferences(form, text)).toStrictEqual(two);
        expect(withDifferences(form, '')).toStrictEqual(one);
      }),
      { numRuns: 500 },
    );
    const form = formOf({ a: 1, b: { c: 2 } });
    for (const other of [
      { a: 1 },
      { b: { c: 2 }, a: 1 },
      { a: 1, b: [2] },
      { a: 1, b: 2 },
      { a: {}, b: { c: 2 } },
    ])
      expect(differences(form, other)).toBeNull();
    const long = (length: number) => ({ a: 1, b: { c: ' '.repeat(length) } });
    expect(withDifferences(form, differences(form, long(65_534)) as string)).toStrictEqual(long(65_534));
    expect(differences(form, long(65_535))).toBeNull();
    expect(differences(formOf([]), {})).toBeNull();
    const others = (places: readonly number[]) =>
      Array.from({ length: 300 }, (_, at) => (places.includes(at) ? 'other' : at));
    const many = formOf(others([]));
    expect(withDifferences(many, differences(many, others([255])) as string)).toStrictEqual(others([255]));
    expect(differences(many, others([256]))).toBeNull();
  });

  it('are short: equal parts take no space, and a repeated signature is stored once', () => {
    const paid = (signature: string) => ({ network: 'devnet', signature, receipt: { signature, amount: 1 } });
    const text = differences(formOf(paid('a'.repeat(88))), paid('b'.repeat(88)));
    expect(text?.length).toBeLessThan(80);
  });
});
