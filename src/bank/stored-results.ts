import { type Form, differences, formOf, withDifferences } from './differences.js';
import { type TtlMap, nothing, setWithTtl } from '../core/ttl-map.js';
import type { Stored } from './in-flight-work.js';

/** More than the number of distinct response forms; beyond it, the oldest are no longer matched. */
const MOST_FORMS = 32;

/**
 * The stored results of calls. Each is encoded by its differences from an earlier one of the same form, since responses are much larger
 * than what is new in them.
 */
export interface StoredResults {
  readonly calls: TtlMap<Stored>;
  /** Forms to encode future results against. */
  readonly forms: readonly Form[];
}

/** An encoded result, decoded at every access. */
class StoredResult {
  readonly #form: Form;
  readonly #text: string;
  readonly expiresMs: number;

  constructor(form: Form, text: string, expiresMs: number) {
    this.#form = form;
    this.#text = text;
    this.expiresMs = expiresMs;
  }

  get value(): Stored {
    return withDifferences(this.#form, this.#text) as Stored;
  }
}

/** No stored results. */
export const NO_RESULTS: StoredResults = { calls: nothing(), forms: [] };

type Entry = { readonly value: Stored; readonly expiresMs: number };

function packed(
  forms: readonly Form[],
  { value, expiresMs }: Entry,
): { entry: Entry; forms: readonly Form[] } {
  for (const form of forms) {
    const text = differences(form, value);
    if (text !== null) return { entry: new StoredResult(form, text, expiresMs), forms };
  }
  const form = formOf(value);
  return { entry: new StoredResult(form, '', expiresMs), forms: [form, ...forms].slice(0, MOST_FORMS) };
}

/** Adds a result and drops those that have expired. */
export function storeResult(stored: StoredResults, id: string, entry: Entry, nowMs: number): StoredResults {
  const made = packed(stored.forms, entry);
  return { calls: setWithTtl(stored.calls, id, made.entry, nowMs), forms: made.forms };
}

/** Encodes results read from a state file. */
export function storedResults({ values, order }: TtlMap<Stored>): StoredResults {
  let forms: readonly Form[] = [];
  const calls = values.map((entry) => {
    const made = packed(forms, entry);
    ({ forms } = made);
    return made.entry;
  });
  return { calls: { values: calls, order }, forms };
}
