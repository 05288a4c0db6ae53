import type { List } from 'immutable';
import { type Codec, type Fields, nullable, struct } from './codec.js';

/** The members of a record of a write-ahead log, by name. */
export type Changes = Readonly<Record<string, unknown>>;

/** A value of a snapshot: its codec for state files, and how a write-ahead log records that it changes. */
export interface Field<T, C extends Changes = Changes> extends Codec<T> {
  /** The record's members for this value. */
  readonly changes: Fields<C>;
  hasChanged(before: T, now: T): boolean;
  /** Sets the change from an earlier to a later value, except for the members that the bank reports. */
  diff(before: T, now: T, changes: { -readonly [K in keyof C]?: C[K] }): void;
  /** Throws StateError for changes that do not follow the value. */
  apply(value: T, changes: C): T;
}

/** A row of a table of fields. A row that is a function gets the field's name in the table. */
type Row<T> = Field<T> | ((name: string) => Field<T>);

type HasChanged<T> = Field<T>['hasChanged'];

/** Values are replaced on write, never mutated. */
const isChanged: HasChanged<unknown> = (before, now) => before !== now;

/** A field that each record holds: a few bytes. */
export function always<T>(codec: Codec<T>, hasChanged: HasChanged<T> = isChanged): Row<T> {
  return (name) => ({
    ...codec,
    changes: { [name]: codec },
    hasChanged,
    diff: (_before, now, changes) => {
      changes[name] = now;
    },
    apply: (_value, changes) => changes[name] as T,
  });
}

/** A field that a record holds, as a whole, when it has changed. */
export function whenChanged<T>(codec: Codec<T>, hasChanged: HasChanged<T> = isChanged): Row<T> {
  return (name) => ({
    ...codec,
    changes: { [name]: nullable(codec) },
    hasChanged,
    diff: (before, now, changes) => {
      changes[name] = hasChanged(before, now) ? now : null;
    },
    apply: (value, changes) => (changes[name] as T | null) ?? value,
  });
}

/** A table with a row for each member of a snapshot: a member missing here does not compile. */
export function fields<T extends object>(rows: { readonly [K in keyof T]-?: Row<T[K]> }): Field<T> {
  const table = Object.entries<Row<unknown>>(rows as never).map(
    ([name, row]) => [name as keyof T, typeof row === 'function' ? row(name) : row] as const,
  );
  return {
    ...struct<T>(Object.fromEntries(table) as unknown as Fields<T>),
    changes: Object.assign({}, ...table.map(([, field]) => field.changes)) as Fields<Changes>,
    hasChanged: (before, now) => table.some(([name, field]) => field.hasChanged(before[name], now[name])),
    diff: (before, now, changes) => {
      for (const [name, field] of table) field.diff(before[name], now[name], changes);
    },
    apply: (value, changes) =>
      Object.fromEntries(table.map(([name, field]) => [name, field.apply(value[name], changes)])) as T,
  };
}

/** The elements of a list after the first `size`, read one by one: slicing a long list for a few takes longer. */
export function after<T>(list: List<T>, size: number): T[] {
  return Array.from({ length: list.size - size }, (_, at) => list.get(size + at) as T);
}
