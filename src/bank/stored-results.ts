import { Amount } from '../core/domain/money.js';
import { isObject } from '../core/json.js';
import { type TtlMap, setWithTtl } from '../core/ttl-map.js';
import type { Stored } from './in-flight-work.js';

type Entry = { readonly value: Stored; readonly expiresMs: number };

/** For `JSON.stringify`: exact amounts (their own JSON is a double) and bigints (which have no JSON). */
function inFull(this: Readonly<Record<string, unknown>>, name: string, json: unknown): unknown {
  const value = this[name];
  if (value instanceof Amount) return { $units: String(value.units), decimals: value.decimals };
  return typeof value === 'bigint' ? { $units: String(value) } : json;
}

function fromFull(_name: string, json: unknown): unknown {
  if (!isObject(json)) return json;
  const { $units: units, decimals } = json;
  if (typeof units !== 'string' || !/^-?\d+$/.test(units)) return json;
  return typeof decimals === 'number' ? new Amount(BigInt(units), decimals) : BigInt(units);
}

/** A copy of a result that shares no object with it, so that no caller can change the result of another. */
export function copied<T>(result: T): T {
  return JSON.parse(JSON.stringify(result, inFull), fromFull) as T;
}

/** A result as text, parsed at every access, so that no caller can change it. */
class StoredResult {
  readonly #text: string;
  readonly expiresMs: number;

  constructor({ value, expiresMs }: Entry) {
    this.#text = JSON.stringify(value, inFull);
    this.expiresMs = expiresMs;
  }

  get value(): Stored {
    return JSON.parse(this.#text, fromFull) as Stored;
  }
}

/** Adds a result and drops expired ones. */
export function storeResult(stored: TtlMap<Stored>, id: string, entry: Entry, nowMs: number): TtlMap<Stored> {
  return setWithTtl(stored, id, new StoredResult(entry), nowMs);
}

/** Results read from a state file, in the form of `storeResult`. */
export function storedResults({ values, order }: TtlMap<Stored>): TtlMap<Stored> {
  return { values: values.map((entry) => new StoredResult(entry)), order };
}
