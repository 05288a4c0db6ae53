import { List, Map as PMap } from 'immutable';

/** Values that are forgotten after a while, as a value itself. Expired ones leave as new ones come. */
export interface TtlMap<V> {
  readonly values: PMap<string, { readonly value: V; readonly expiresMs: number }>;
  /** Keys in the order they came; all live equally long. */
  readonly order: List<string>;
}

/** An empty memory. */
export function nothing<V>(): TtlMap<V> {
  return { values: PMap(), order: List() };
}

/** What is remembered under a key at an instant. */
export function getLive<V>(memory: TtlMap<V>, key: string, nowMs: number): V | undefined {
  const found = memory.values.get(key);
  return found === undefined || found.expiresMs <= nowMs ? undefined : found.value;
}

/** The memory with one more value, and without those that have expired. */
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
  return { values: values.set(key, entry), order: order.push(key) };
}
