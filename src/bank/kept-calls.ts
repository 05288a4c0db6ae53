import { type Form, differences, formOf, withDifferences } from './differences.js';
import { type TtlMap, nothing, setWithTtl } from './ttl-map.js';
import type { Stored } from './in-flight-work.js';

/** Answers have fewer forms than that; of more, the oldest are no longer looked for. */
const MOST_FORMS = 32;

/**
 * The calls that are kept under their keys. Each is what it has other than an earlier one of the same form, since answers are much
 * larger than what is new in them.
 */
export interface KeptCalls {
  readonly calls: TtlMap<Stored>;
  /** Forms of calls, for those to come. */
  readonly forms: readonly Form[];
}

/** A call as text, from which it is made anew whenever somebody asks for it. */
class KeptCall {
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

/** No calls. */
export const NO_CALLS: KeptCalls = { calls: nothing(), forms: [] };

type Entry = { readonly value: Stored; readonly expiresMs: number };

function packed(
  forms: readonly Form[],
  { value, expiresMs }: Entry,
): { entry: Entry; forms: readonly Form[] } {
  for (const form of forms) {
    const text = differences(form, value);
    if (text !== null) return { entry: new KeptCall(form, text, expiresMs), forms };
  }
  const form = formOf(value);
  return { entry: new KeptCall(form, '', expiresMs), forms: [form, ...forms].slice(0, MOST_FORMS) };
}

/** The calls with one more, and without those that have expired. */
export function keepCall(kept: KeptCalls, id: string, entry: Entry, nowMs: number): KeptCalls {
  const made = packed(kept.forms, entry);
  return { calls: setWithTtl(kept.calls, id, made.entry, nowMs), forms: made.forms };
}

/** Calls as they were read, kept as others are. */
export function keptCalls({ values, order }: TtlMap<Stored>): KeptCalls {
  let forms: readonly Form[] = [];
  const calls = values.map((entry) => {
    const made = packed(forms, entry);
    ({ forms } = made);
    return made.entry;
  });
  return { calls: { values: calls, order }, forms };
}
