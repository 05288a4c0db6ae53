import { List, Map as PMap } from 'immutable';

/** A persistent map with expiry, as a value. Expired values are dropped on insertion. */
export interface TtlMap<V> {
  readonly values: PMap<string, { readonly value: V; readonly expiresMs: number }>;
  /** Keys in the order in which they were last set; all have the same lifetime. */
  readonly order: List<string>;
}

/** An empty map. */
export function nothing<V>(): TtlMap<V> {
  return { values: PMap(), order: List() };
}

/** The value under a key, unless it has expired. */
export function getLive<V>(memory: TtlMap<V>, key: string, nowMs: number): V | undefined {
  const found = memory.values.get(key);
  return found === undefined || found.expiresMs <= nowMs ? undefined : found.value;
}

/** Inserts a value and drops those that have expired. */
export function setWithTtl<V>(
  memory: TtlMap<V>,
  key: string,
  entry: { value: V; expiresMs: number },
  nowMs: number,
): TtlMap<V> {
  let { values, order } = memory;
  for (let oldest = order.first(); oldest !== undefined; oldest = order.first()) {
    const found = values.get(oldest);
    if (found !== undefined && found.expiresMs > nowMs) break;
    values = values.delete(oldest);
    order = order.shift();
  }
  // A key that is set again expires last.
  if (values.has(key)) order = order.filter((each) => each !== key);
  return { values: values.set(key, entry), order: order.push(key) };
}
