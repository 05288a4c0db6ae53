import { REQUEST, SECRET_NAME, isName } from '../../api/recorder/id-aliases.js';

/** What stands in a call for a string that no answer has given. */
const UNKNOWN: Readonly<Record<string, string>> = {
  [REQUEST]: 'req_00000000',
  [SECRET_NAME]: 'secret',
  '<token>': 'token',
  '<unknown challenge>': 'a challenge that nobody has issued',
};

/** What the names of a recording stand for in a replay: each is bound by the first answer that has it. */
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

  /** A string of a recording as a replay has it. */
  text(recorded: string): string {
    if (!recorded.startsWith('<')) return recorded;
    if (!isName(recorded)) return recorded.slice(1);
    return this.#values.get(recorded) ?? UNKNOWN[recorded] ?? recorded;
  }

  /** The same of every string of a value. */
  value(recorded: unknown): unknown {
    if (typeof recorded === 'string') return this.text(recorded);
    if (Array.isArray(recorded)) return recorded.map((element) => this.value(element));
    if (typeof recorded !== 'object' || recorded === null) return recorded;
    const made: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(recorded)) {
      const value = this.value(member);
      // By plain assignment, a member of this name would be lost.
      if (name === '__proto__') Object.defineProperty(made, name, { value, enumerable: true });
      else made[this.text(name)] = value;
    }
    return made;
  }
}
