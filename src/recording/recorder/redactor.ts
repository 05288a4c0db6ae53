import { TOKEN } from '../../core/token-text.js';
import { Aliases, SECRET_NAME } from '../aliases.js';

const WHOLE_TOKEN = new RegExp(`^${TOKEN.source}$`);
const CHALLENGE_BEGIN = 'agent-bank-sim wants you to sign in';
const CHALLENGE = new RegExp(`${CHALLENGE_BEGIN}[^"]*`, 'g');
/** A list of numbers as long as a secret key, within a text. */
const LIST = /\[[\d\s.,eE+-]{127,}\]/g;

const KEY_BYTES = 64;
/** A secret key in base58. */
const SHORTEST_KEY = 80;
const KEY = new RegExp(`^[1-9A-HJ-NP-Za-km-z]{${SHORTEST_KEY},90}$`);
/** Shorter texts contain nothing to redact. */
const SHORTEST_SECRET = CHALLENGE_BEGIN.length;

const BEARER = /^Bearer +(\S+)$/i;

/** Whether numbers may be the bytes of a secret key. */
function areKeyBytes(values: readonly unknown[]): boolean {
  return (
    values.length >= KEY_BYTES &&
    values.every((value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) < 256)
  );
}

/** Whether a value is an amount of a response, which is written as a number. */
function isAmount(value: object): boolean {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

/**
 * Replaces secrets in JSON values by aliases. A token or challenge gets an alias, such as `<token-3>`, from the response that contains it;
 * later requests can refer to it. All secret keys share one alias. A text that begins like an alias gets a second `<`.
 */
export class Redactor {
  readonly #aliases = new Aliases();
  readonly #keys = new Set<string>();

  /** `secretKeys` are the keys known beforehand, in base58. */
  constructor(secretKeys: Iterable<string>) {
    for (const key of secretKeys) this.learn(key);
  }

  /** Adds a secret key, which is redacted everywhere from now on; ignores text that cannot be a key. */
  learn(secretKey: string): void {
    if (KEY.test(secretKey)) this.#keys.add(secretKey);
  }

  /** Redacts a value of a request: known strings become aliases, and secrets are removed. */
  request(value: unknown): unknown {
    return this.#value(value, false);
  }

  /** Redacts a value of a response: tokens and challenges get aliases, and secret keys in it are redacted from then on. */
  response(value: unknown): unknown {
    return this.#value(value, true);
  }

  /**
   * The alias of an Authorization header, from the name of the token's wallet (undefined when it was not valid) and the code of the response;
   * undefined for no header.
   */
  authorization(
    authorization: string | undefined,
    { who, code }: { readonly who: string | undefined; readonly code: unknown },
  ): string | undefined {
    if (authorization === undefined || authorization === '') return undefined;
    const token = BEARER.exec(authorization)?.[1];
    if (token === undefined) return 'malformed';
    const known = this.#aliases.get(token);
    if (known !== undefined) return known;
    // Issued before the recording started.
    if (who !== undefined) return `<token of ${who}>`;
    return code === 'token_expired' ? 'expired' : 'wrong';
  }

  #value(value: unknown, isTold: boolean): unknown {
    if (typeof value === 'string') return this.#text(value, isTold);
    // JSON has no infinite numbers, but texts such as 1e400 are read as one.
    if (typeof value === 'number' && !Number.isFinite(value)) return `<${value}>`;
    if (typeof value !== 'object' || value === null || isAmount(value)) return value;
    if (Array.isArray(value))
      return areKeyBytes(value) ? [SECRET_NAME] : value.map((each) => this.#value(each, isTold));
    if ('63' in value && areKeyBytes(Object.values(value))) return { 0: SECRET_NAME };
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        this.#text(name, isTold),
        this.#member(name, member, isTold),
      ]),
    );
  }

  #member(name: string, value: unknown, isTold: boolean): unknown {
    if (name !== 'secretKey' || typeof value !== 'string') return this.#value(value, isTold);
    if (isTold) this.learn(value);
    return SECRET_NAME;
  }

  #text(text: string, isTold: boolean): string {
    const isLong = text.length >= SHORTEST_SECRET;
    const alias = isLong ? this.#aliasOf(text, isTold) : null;
    if (alias !== null) return alias;
    const redacted = isLong ? this.#redactedWithin(text) : text;
    return redacted.startsWith('<') ? `<${redacted}` : redacted;
  }

  /** The alias of a text that consists of a secret. */
  #aliasOf(text: string, isTold: boolean): string | null {
    if (text.startsWith(CHALLENGE_BEGIN)) {
      if (isTold) return this.#aliases.give('challenge', text);
      return this.#aliases.get(text) ?? '<unknown challenge>';
    }
    if (WHOLE_TOKEN.test(text)) {
      if (isTold) return this.#aliases.give('token', text);
      return this.#aliases.get(text) ?? '<token>';
    }
    return this.#keys.has(text) ? SECRET_NAME : null;
  }

  #redactedWithin(text: string): string {
    let redacted = text
      .replace(TOKEN, '<token>')
      .replace(CHALLENGE, '<challenge>')
      .replace(LIST, (list) =>
        areKeyBytes(list.slice(1, -1).split(',').map(Number)) ? `["${SECRET_NAME}"]` : list,
      );
    if (redacted.length < SHORTEST_KEY) return redacted;
    for (const key of this.#keys)
      if (redacted.includes(key)) redacted = redacted.replaceAll(key, SECRET_NAME);
    return redacted;
  }
}
