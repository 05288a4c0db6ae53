import { Amount } from '../../core/domain/money.js';
import * as c from './codec.js';
import { inconsistent } from './state-error.js';

const value = c.lazily('anything', anyValue);

/** The types of values. A type's position in the list is part of the format. */
const KINDS: readonly (readonly [is: (value: unknown) => boolean, codec: c.Codec<unknown>])[] = [
  [(it) => it === null, c.constant(null)],
  [(it) => it === undefined, c.constant(undefined)],
  [(it) => it === false, c.constant(false)],
  [(it) => it === true, c.constant(true)],
  [(it) => typeof it === 'number', c.number],
  [(it) => typeof it === 'bigint', c.big],
  [(it) => typeof it === 'string', c.text],
  [(it) => it instanceof Uint8Array, c.bytes],
  [Array.isArray, c.array(value)],
  [
    (it) => Object.getPrototypeOf(it) === Object.prototype,
    c.via<object, readonly (readonly [string, unknown])[]>(c.pairs(c.text, value), {
      encode: Object.entries,
      decode: Object.fromEntries,
    }),
  ],
  [
    (it) => it instanceof Amount,
    c.derived<Amount, Pick<Amount, 'units' | 'decimals'>>(
      c.struct({ units: c.big, decimals: c.count }),
      ({ units, decimals }) => new Amount(units, decimals),
    ),
  ],
];

/** A codec for untyped values: errors of the chain, stored responses. The order of members is preserved. */
export function anyValue<T>(): c.Codec<T> {
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
      if (codec === undefined) throw inconsistent();
      return codec.read(from) as T;
    },
  };
}
