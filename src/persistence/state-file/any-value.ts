import { Amount } from '../../core/domain/money.js';
import {
  type Codec,
  array,
  big,
  bytes,
  constant,
  count,
  lazily,
  number,
  pairs,
  struct,
  text,
  via,
} from './codec.js';

const value = lazily('anything', anyValue);

/** The types of values. A type's position in the list is part of the format. */
const KINDS: readonly (readonly [is: (value: unknown) => boolean, codec: Codec<unknown>])[] = [
  [(it) => it === null, constant(null)],
  [(it) => it === undefined, constant(undefined)],
  [(it) => it === false, constant(false)],
  [(it) => it === true, constant(true)],
  [(it) => typeof it === 'number', number],
  [(it) => typeof it === 'bigint', big],
  [(it) => typeof it === 'string', text],
  [(it) => it instanceof Uint8Array, bytes],
  [Array.isArray, array(value)],
  [
    (it) => Object.getPrototypeOf(it) === Object.prototype,
    via<object, readonly (readonly [string, unknown])[]>(pairs(text, value), {
      encode: Object.entries,
      decode: Object.fromEntries,
    }),
  ],
  [
    (it) => it instanceof Amount,
    via<Amount, Pick<Amount, 'units' | 'decimals'>>(struct({ units: big, decimals: count }), {
      encode: (amount) => amount,
      decode: ({ units, decimals }) => new Amount(units, decimals),
    }),
  ],
];

/** A codec for untyped values: errors of the chain, stored responses. The order of members is preserved. */
export function anyValue<T>(): Codec<T> {
  return {
    layout: 'anything',
    write: (to, it) => {
      const kind = KINDS.findIndex(([is]) => is(it));
      const [, codec] = KINDS[kind] ?? [];
      if (codec === undefined)
        throw new Error(
          `a state file cannot hold a ${it instanceof Object ? it.constructor.name : typeof it}`,
        );
      to.count(kind);
      codec.write(to, it);
    },
    read: (from) => {
      const [, codec] = KINDS[from.count()] ?? [];
      if (codec === undefined) throw from.wrong();
      return codec.read(from) as T;
    },
  };
}
