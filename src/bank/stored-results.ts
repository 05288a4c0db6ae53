import { Amount } from '../core/domain/money.js';
import { isObject } from '../core/json.js';
import { type TtlMap, setWithTtl } from '../core/ttl-map.js';
import type { Stored } from './in-flight-work.js';

type Entry = { readonly value: Stored; readonly expiresMs: number };

/** For `JSON.stringify`: amounts in full, whose own JSON is a double. */
function withAmounts(this: Readonly<Record<string, unknown>>, name: string, json: unknown): unknown {
  const value = this[name];
  return value instanceof Amount ? { $units: String(value.units), decimals: value.decimals } : json;
}

function asAmount(_name: string, json: unknown): unknown {
  const isAmount = isObject(json) && '$units' in json;
  return isAmount ? new Amount(BigInt(json['$units'] as string), json['decimals'] as number) : json;
}

/** A result as text, parsed at every access: an object would take three times the memory, and a caller could change it. */
class StoredResult {
  readonly #text: string;
  readonly expiresMs: number;

  constructor({ value, expiresMs }: Entry) {
    this.#text = JSON.stringify(value, withAmounts);
    this.expiresMs = expiresMs;
  }

  get value(): Stored {
    return JSON.parse(this.#text, asAmount) as Stored;
  }
}

/** Adds a result and drops those that have expired. */
export function storeResult(stored: TtlMap<Stored>, id: string, entry: Entry, nowMs: number): TtlMap<Stored> {
  return setWithTtl(stored, id, new StoredResult(entry), nowMs);
}

/** Results read from a state file, as `storeResult` keeps them. */
export function storedResults({ values, order }: TtlMap<Stored>): TtlMap<Stored> {
  return { values: values.map((entry) => new StoredResult(entry)), order };
}
