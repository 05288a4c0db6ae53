import { LongStrings } from './long-strings.js';

/**
 * What is looked for in a text of JSON: whole strings that the world may have made up, and beginnings of strings that look like names
 * of such. What stands between two strings begins with other characters, so it cannot be taken for one.
 */
const FOUND =
  /"(?:<|(?:snapshot|fork|fault)-\d+"|(?:req|rpc|ctl|fac)_\d{8,}"|agent-bank-sim wants you to sign in[^"]*"|[\w+/=.-]{29,}")/g;

/** A token anywhere, also within a longer text. */
const TOKEN = /eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{16,}/g;
const REQUEST_ID = /^(?:req|rpc|ctl|fac)_\d{8,}$/;
const SECRET = /(?<=(?<!\\)"secretKey":\s*)"(?:[^"\\]|\\.)*"/g;

type Kind = 'token' | 'signature' | 'id' | 'challenge' | 'text';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NUMBERED = /^(?:(?:loan|payment)_[0-9a-f]{24}|(?:snapshot|fork|fault)-\d+)$/;
const JWT = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{85,90}$/;
const SIGNED_TEXT = /^[A-Za-z0-9+/_-]{100,}={0,2}$/;
/** The lengths of addresses, which are what they are and the most frequent long strings. */
const ADDRESS_LENGTHS: ReadonlySet<number> = new Set([43, 44]);

/** What kind of string that a world makes up this is; null for another. */
function kindOf(text: string): Kind | null {
  if (ADDRESS_LENGTHS.has(text.length) && !text.startsWith('eyJ')) return null;
  if (UUID.test(text) || NUMBERED.test(text)) return 'id';
  if (SIGNATURE.test(text)) return 'signature';
  if (JWT.test(text)) return 'token';
  return SIGNED_TEXT.test(text) ? 'text' : null;
}

/** The same text in memory of its own. A part that was cut out of a text keeps the whole of it in memory, here for as long as the recording. */
function ofItsOwn(text: string): string {
  return ` ${text}`.slice(1);
}

/** What stands in the place of a request's id, which nothing refers to. */
export const REQUEST = '<request>';
/** What stands in the place of a secret. */
export const SECRET_NAME = '<secret>';

/** Whether a string of a recording is a name of something. */
export function isName(text: string): boolean {
  return text.startsWith('<') && !text.startsWith('<<');
}

/**
 * Names for what the world makes up: ids, signatures, challenges, tokens, signed texts. The first answer that holds such a string
 * gives it a name, such as `<id-3>`; from there on the name stands in its place. So no token stays in a recording, and what replays
 * make up themselves can be told by its place.
 */
export class Names {
  readonly #byValue = new Map<string, string>();
  /** Tokens apart: each call asks for one, and ids are so many that looking among them takes long. */
  readonly #tokens = new Map<string, string>();
  readonly #counts: Record<Kind, number> = { token: 0, signature: 0, id: 0, challenge: 0, text: 0 };

  /** `fixed` are names of what is known beforehand, by value. */
  constructor(fixed: Iterable<readonly [value: string, name: string]>) {
    for (const [value, name] of fixed) this.#byValue.set(value, name);
  }

  /** The name of a string; undefined when it has none. */
  of(value: string): string | undefined {
    return this.#byValue.get(value) ?? this.#tokens.get(value);
  }

  /** The name of a token; undefined when it has none. */
  ofToken(value: string): string | undefined {
    return this.#tokens.get(value);
  }

  /** How many tokens have names. */
  get tokens(): number {
    return this.#tokens.size;
  }

  /** A name for what has been made up by somebody else. */
  give(kind: Kind, value: string): string {
    const values = kind === 'token' ? this.#tokens : this.#byValue;
    const known = values.get(value);
    if (known !== undefined) return known;
    this.#counts[kind] += 1;
    const name = `<${kind}-${this.#counts[kind]}>`;
    values.set(value, name);
    return name;
  }

  /** The JSON of something that was sent: what has a name is named, and no token stays. */
  asked(json: string): string {
    return this.#replaced(json, false);
  }

  /** The JSON of an answer: what the world made up gets a name. */
  told(json: string): string {
    return this.#replaced(json, true);
  }

  /** The same of an answer's `body`, whose JSON is at hand: to look through its members takes less time than through the text. */
  toldOf(body: unknown, json: string): string {
    const long = new LongStrings();
    if (!long.gather(body)) return this.told(json);
    let named = json;
    for (const value of long.found) {
      const kind = kindOf(value);
      const name = kind === null ? this.of(value) : this.give(kind, value);
      if (name !== undefined) named = named.replaceAll(`"${value}"`, `"${name}"`);
    }
    return named;
  }

  #replaced(json: string, isTold: boolean): string {
    const named = json.replace(FOUND, (whole: string, at: number) => {
      // A quote within a string has a backslash before it.
      if (whole === '"<') return json[at - 1] === '\\' ? whole : '"<<';
      const text = whole.slice(1, -1);
      if (REQUEST_ID.test(text)) return `"${REQUEST}"`;
      const isChallenge = text.startsWith('agent-bank-sim ');
      // A challenge has line ends, which JSON writes otherwise.
      const value = isChallenge ? (JSON.parse(whole) as string) : text;
      const kind = isChallenge ? 'challenge' : kindOf(value);
      const name = isTold && kind !== null ? this.give(kind, ofItsOwn(value)) : this.of(value);
      return name === undefined ? whole : `"${name}"`;
    });
    const open = named.includes('"secretKey"') ? named.replace(SECRET, `"${SECRET_NAME}"`) : named;
    return open.includes('eyJ') ? open.replace(TOKEN, '<token>') : open;
  }
}
