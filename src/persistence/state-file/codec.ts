import { List, Map as PMap, OrderedMap } from 'immutable';
import { Reader, Writer } from './bytes.js';
import { inconsistent } from './state-error.js';

/** Encodes values of a type as bytes and decodes them. */
export interface Codec<T> {
  /** Describes the encoding: codecs with equal layouts can read each other's bytes. */
  readonly layout: string;
  write(to: Writer, value: T): void;
  read(from: Reader): T;
}

export function encoded<T>(codec: Codec<T>, value: T): Buffer {
  const to = new Writer();
  codec.write(to, value);
  return to.bytes();
}

/** The value of bytes. Throws StateError for bytes that `encoded` did not make. */
export function decoded<T>(codec: Codec<T>, bytesOf: Uint8Array): T {
  const from = new Reader(bytesOf);
  const value = codec.read(from);
  from.end();
  return value;
}

export const number: Codec<number> = {
  layout: 'number',
  write: (to, value) => to.number(value),
  read: (from) => {
    const value = from.number();
    if (!Number.isFinite(value)) throw inconsistent();
    return value;
  },
};

export const count: Codec<number> = {
  layout: 'count',
  write: (to, value) => to.count(value),
  read: (from) => from.count(),
};

export const big: Codec<bigint> = {
  layout: 'big',
  write: (to, value) => to.big(value),
  read: (from) => from.big(),
};

export const text: Codec<string> = {
  layout: 'text',
  write: (to, value) => to.text(value),
  read: (from) => from.text(),
};

export const bytes: Codec<Uint8Array> = {
  layout: 'bytes',
  write: (to, value) => to.raw(value),
  read: (from) => from.raw(),
};

export const flag: Codec<boolean> = {
  layout: 'flag',
  write: (to, value) => to.count(value ? 1 : 0),
  read: (from) => {
    const value = from.count();
    if (value > 1) throw inconsistent();
    return value === 1;
  },
};

/** A constant, which takes no bytes. */
export function constant<const T extends string | boolean | null | undefined>(value: T): Codec<T> {
  return { layout: `=${value}`, write: () => undefined, read: () => value };
}

export function oneOf<const T extends string>(...words: readonly T[]): Codec<T> {
  const known = new Map<string, T>(words.map((word) => [word, word]));
  return {
    layout: words.join('|'),
    write: (to, value) => to.text(value),
    read: (from) => {
      const word = known.get(from.text());
      if (word === undefined) throw inconsistent();
      return word;
    },
  };
}

export function nullable<T>(codec: Codec<T>): Codec<T | null> {
  return {
    layout: `${codec.layout}?`,
    write: (to, value) => {
      to.count(value === null ? 0 : 1);
      if (value !== null) codec.write(to, value);
    },
    read: (from) => (flag.read(from) ? codec.read(from) : null),
  };
}

export function array<T>(codec: Codec<T>): Codec<readonly T[]> {
  return {
    layout: `[${codec.layout}]`,
    write: (to, values) => {
      to.count(values.length);
      for (const value of values) codec.write(to, value);
    },
    read: (from) => {
      const values: T[] = [];
      for (let left = from.size(); left > 0; left -= 1) values.push(codec.read(from));
      return values;
    },
  };
}

export function list<T>(codec: Codec<T>): Codec<List<T>> {
  return via(array(codec), { encode: (values) => values.toArray(), decode: (values) => List(values) });
}

function compare<K extends string | number>([a]: readonly [K, unknown], [b]: readonly [K, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function pairs<K, V>(key: Codec<K>, value: Codec<V>) {
  return array<readonly [K, V]>({
    layout: `${key.layout}:${value.layout}`,
    write: (to, [name, member]) => {
      key.write(to, name);
      value.write(to, member);
    },
    read: (from) => [key.read(from), value.read(from)],
  });
}

/** A map without significant order: its members are written in the order of their keys. */
export function map<K extends string | number, V>(key: Codec<K>, value: Codec<V>): Codec<PMap<K, V>> {
  const members = pairs(key, value);
  const encode = (values: PMap<K, V>) => [...values].toSorted(compare);
  return {
    ...via(members, { encode, decode: (read) => PMap<K, V>(read as Iterable<[K, V]>) }),
    layout: `{${members.layout}}`,
  };
}

/** A map with significant order. */
export function orderedMap<K, V>(key: Codec<K>, value: Codec<V>): Codec<OrderedMap<K, V>> {
  const members = pairs(key, value);
  const encode = (values: OrderedMap<K, V>) => [...values];
  return {
    ...via(members, { encode, decode: (read) => OrderedMap<K, V>(read as Iterable<[K, V]>) }),
    layout: `<${members.layout}>`,
  };
}

/** A codec for every member of a type: a member missing here does not compile. */
export type Fields<T> = { readonly [K in keyof T]-?: Codec<T[K]> };

export function struct<T extends object>(fields: Fields<T>): Codec<T> {
  const names = Object.keys(fields) as (keyof T & string)[];
  const codecs = names.map((name) => fields[name] as Codec<unknown>);
  return {
    layout: `(${names.map((name) => `${name} ${fields[name].layout}`).join(', ')})`,
    write: (to, value) => {
      for (let at = 0; at < codecs.length; at += 1)
        (codecs[at] as Codec<unknown>).write(to, value[names[at] as keyof T]);
    },
    read: (from) => {
      const made: Record<string, unknown> = {};
      for (let at = 0; at < codecs.length; at += 1)
        made[names[at] as string] = (codecs[at] as Codec<unknown>).read(from);
      return made as T;
    },
  };
}

/** The members of each kind of a union, without the kind itself. */
export type Kinds<T extends { readonly kind: string }> = {
  readonly [K in T['kind']]: Omit<Fields<Extract<T, { readonly kind: K }>>, 'kind'>;
};

/** A union discriminated by `kind`; a kind missing here does not compile. */
export function union<T extends { readonly kind: string }>(kinds: Kinds<T>): Codec<T> {
  const structs = new Map(
    Object.entries<object>(kinds).map(([kind, fields]) => [
      kind,
      struct({ kind: constant(kind), ...fields }) as unknown as Codec<T>,
    ]),
  );
  return {
    layout: `<${[...structs.values()].map(({ layout }) => layout).join(' | ')}>`,
    write: (to, value) => {
      to.text(value.kind);
      (structs.get(value.kind) as Codec<T>).write(to, value);
    },
    read: (from) => {
      const codec = structs.get(from.text());
      if (codec === undefined) throw inconsistent();
      return codec.read(from);
    },
  };
}

/** A codec that builds on another type's: `encode` and `decode` convert between the two types. */
export function via<A, B>(
  codec: Codec<B>,
  how: { encode: (value: A) => B; decode: (coded: B) => A },
): Codec<A> {
  return {
    layout: codec.layout,
    write: (to, value) => codec.write(to, how.encode(value)),
    read: (from) => how.decode(codec.read(from)),
  };
}

/** A codec that writes what is necessary of a value, from which `decode` makes the value again. */
export function derived<A extends B, B>(codec: Codec<B>, decode: (coded: B) => A): Codec<A> {
  return via(codec, { encode: (value) => value, decode });
}

/** A codec whose values must meet a condition that their type does not express. */
export function checked<T>(codec: Codec<T>, isRight: (value: T) => boolean): Codec<T> {
  return {
    ...codec,
    read: (from) => {
      const value = codec.read(from);
      if (!isRight(value)) throw inconsistent();
      return value;
    },
  };
}

/** A whole number from 0, written as any number is. */
export const counter: Codec<number> = checked(number, (value) => Number.isSafeInteger(value) && value >= 0);

/** A codec created on first use, for recursive types. */
export function lazily<T>(layout: string, make: () => Codec<T>): Codec<T> {
  let made: Codec<T> | null = null;
  const codec = () => (made ??= make());
  return { layout, write: (to, value) => codec().write(to, value), read: (from) => codec().read(from) };
}

/** Recurring values, written once. Those with equal keys are one object after reading. */
export function shared<T extends object>(codec: Codec<T>, keyOf: (value: T) => unknown): Codec<T> {
  const kind = {};
  return {
    layout: `*${codec.layout}`,
    write: (to, value) => to.shared(kind, keyOf(value), () => codec.write(to, value)),
    read: (from) => from.shared(kind, () => codec.read(from)),
  };
}
