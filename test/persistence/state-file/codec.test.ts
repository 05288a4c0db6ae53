import fc from 'fast-check';
import { Map as PMap } from 'immutable';
import { describe, expect, it } from 'vitest';
import { Amount } from '../../../src/core/domain/money.js';
import { anyValue } from '../../../src/persistence/state-file/any-value.js';
import { Reader } from '../../../src/persistence/state-file/bytes.js';
import {
  type Codec,
  array,
  big,
  bytes,
  decoded,
  encoded,
  list,
  map,
  number,
  oneOf,
  shared,
  struct,
  text,
  union,
} from '../../../src/persistence/state-file/codec.js';
import { forAll } from '../../support/for-all.js';

/** Writes and reads values of all kinds that an arbitrary makes. */
function holds<T>(values: fc.Arbitrary<T>, codec: Codec<T>): void {
  forAll(values, (value) => {
    expect(again(codec, value)).toEqual(value);
  });
}

/** A value after it was written and read. */
const again = <T>(codec: Codec<T>, value: T): T => decoded(codec, encoded(codec, value));

describe('a state file preserves', () => {
  it('numbers of all kinds', () => {
    const numbers = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.maxSafeInteger(),
      fc.constantFrom(0, -0, 2 ** 51, -(2 ** 51)),
    );
    holds(fc.array(numbers), array(number));
    for (const value of [NaN, Infinity, -Infinity])
      expect(() => again(number, value), String(value)).toThrow('damaged');
  });

  it('bigints of any size', () => {
    const large = fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n });
    holds(fc.array(large), array(big));
  });

  it('strings of any content, lone surrogates included', () => {
    const any = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc.constantFrom('', '\ud800', 'ÿ', '日本\ud83d'),
    );
    holds(fc.array(any), array(text));
  });

  it('bytes, and untyped values with their members in order', () => {
    holds(fc.uint8Array() as fc.Arbitrary<Uint8Array>, bytes);
    const value = {
      z: [1, null, undefined, 'a', 2n ** 70n, true],
      a: { amount: new Amount(12n, 6) },
      b: Uint8Array.of(1),
    };
    const read = again(anyValue<typeof value>(), value);
    expect(read).toEqual(value);
    expect(Object.keys(read)).toEqual(['z', 'a', 'b']);
    expect(JSON.stringify(read.a)).toBe('{"amount":0.000012}');
    for (const odd of [new Date(), () => 1, new Map()])
      expect(() => encoded(anyValue(), odd)).toThrow('a state file cannot hold');
  });

  it('unordered maps, as equal bytes for equal content', () => {
    const codec = map(text, number);
    forAll(fc.dictionary(fc.string(), fc.integer()), (members) => {
      const forward = PMap(Object.entries(members));
      const backward = PMap(Object.entries(members).toReversed());
      expect(encoded(codec, forward)).toEqual(encoded(codec, backward));
      expect(again(codec, forward).equals(forward)).toBe(true);
    });
  });

  it('shared objects as one object', () => {
    const point = shared(struct<{ at: number }>({ at: number }), ({ at }) => at);
    const [a, b] = [{ at: 7 }, { at: 7 }];
    const [first, second, third] = again(array(point), [a, b, { at: 8 }]);
    expect(first).toBe(second);
    expect([first, third]).toEqual([{ at: 7 }, { at: 8 }]);
  });

  it('no bytes that the codec never writes', () => {
    const step = union<{ kind: 'a'; n: number } | { kind: 'b' }>({ a: { n: number }, b: {} });
    const word = oneOf('left', 'right');
    expect(() => again(word, 'up' as 'left')).toThrow('damaged');
    expect(() => decoded(step, encoded(text, 'c'))).toThrow('damaged');
    expect(() => list(number).read(new Reader(Uint8Array.of(200, 200, 1)))).toThrow('damaged');
    expect(() => new Reader(Uint8Array.of(255, 255, 255, 255, 255, 255, 255, 255, 255)).count()).toThrow(
      'damaged',
    );
    expect(() => new Reader(new Uint8Array(0)).count()).toThrow('damaged');
  });
});
