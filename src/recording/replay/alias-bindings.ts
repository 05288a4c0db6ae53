import { mapTexts } from '../../core/json.js';
import { REQUEST, SECRET_NAME, isName } from '../id-aliases.js';

/** The replacement in calls for strings that no response has contained. */
const UNKNOWN: Readonly<Record<string, string>> = {
  [REQUEST]: 'req_00000000',
  [SECRET_NAME]: 'secret',
  '<token>': 'token',
  '<unknown challenge>': 'a challenge that was never issued',
};

/** Aliases for values that JSON cannot represent. */
const INFINITE = new Map([Infinity, -Infinity].map((number) => [`<${number}>`, number]));

/** Values of a recording's aliases in a replay: each is bound by the first response that contains it. */
export class AliasBindings {
  readonly #values = new Map<string, string>();

  constructor(fixed: Iterable<readonly [name: string, value: string]> = []) {
    for (const [name, value] of fixed) this.#values.set(name, value);
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  bind(name: string, value: string): void {
    this.#values.set(name, value);
  }

  text(recorded: string): string {
    if (!recorded.startsWith('<')) return recorded;
    if (!isName(recorded)) return recorded.slice(1);
    return this.#values.get(recorded) ?? UNKNOWN[recorded] ?? recorded;
  }

  /** Replaces the aliases in every string of a value. */
  value(recorded: unknown): unknown {
    const text = (recordedText: string) => this.text(recordedText);
    return mapTexts(recorded, (each) => INFINITE.get(each) ?? text(each), text);
  }
}
