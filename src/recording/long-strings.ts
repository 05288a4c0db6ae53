import { Amount } from '../domain/money.js';

/** Shorter strings are no ids, signatures or tokens. */
const LONG = 29;

const PLAIN = /^[\w+/=.-]+$/;
const DIGIT_0 = 48;
const DIGIT_9 = 57;
const LESS_THAN = 60;

/** Whether a string of less than 29 characters may be a name of the simulator's own, such as `req_00000007`, or begins as a recording's names do. */
function isDelicate(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return (
    text.charCodeAt(0) === LESS_THAN ||
    (last >= DIGIT_0 && last <= DIGIT_9 && (text.includes('-') || text.includes('_')))
  );
}

/** The strings of a body that may have been made up by the world, in their order, as long as there is nothing delicate about any of them. */
export class LongStrings {
  readonly found: string[] = [];

  /** Looks through a value as JSON shows it. False when its text has to be read for it: then `found` says nothing. */
  gather(value: unknown): boolean {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null || value instanceof Amount) return true;
    if (Array.isArray(value)) {
      for (const element of value) if (!this.gather(element)) return false;
      return true;
    }
    if ('toJSON' in value) return false;
    const members = value as Record<string, unknown>;
    for (const name in members) {
      if (name.length >= LONG || name === 'secretKey' || isDelicate(name)) return false;
      if (!this.gather(members[name])) return false;
    }
    return true;
  }

  #text(text: string): boolean {
    if (text.length < LONG) return !isDelicate(text);
    // A token may stand within it.
    if (!PLAIN.test(text) || text.includes('eyJ')) return false;
    if (!this.found.includes(text)) this.found.push(text);
    return true;
  }
}
