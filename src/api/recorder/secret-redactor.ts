import {
  SHORTEST_HIDDEN,
  hiddenIn,
  mayHoldBytes,
  tokensIn,
  withoutByteObjects,
  withoutLists,
} from './redaction.js';
import { SECRET_NAME } from './id-aliases.js';
import { SecretKeys } from './secret-keys.js';

/**
 * A text of JSON has nothing to be hidden, and nothing that looks like what hides it, when it has none of these, no known key, and no
 * long list of numbers.
 */
const DELICATE = /eyJ|secretKey|agent-bank-sim wants|"<|\\u|"63\\?"/;

const WHOLE_TOKEN = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;
const CHALLENGE_BEGIN = 'agent-bank-sim wants you to sign in';
/** What stands between a member's name and its value. */
const COLON = /^\s*:\s*$/;

const BACKSLASH = 92;

/** The same text in memory of its own. A part that was cut out of a text keeps the whole of it in memory, here for as long as the recording. */
function ofItsOwn(text: string): string {
  return ` ${text}`.slice(1);
}

/** Where a string of JSON that opens at a place closes. */
function closeOf(json: string, open: number): number {
  for (let at = json.indexOf('"', open + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let from = at;
    while (json.charCodeAt(from - 1) === BACKSLASH) from -= 1;
    if ((at - from) % 2 === 0) return at;
  }
  return json.length - 1;
}

/**
 * What must not stay in a recording, and the names that stand in its place: tokens and challenges are named by the answer that tells
 * them, such as `<token-3>`, so that what is sent afterwards can refer to them; secret keys are all called alike.
 */
export class SecretRedactor {
  readonly #challenges = new Map<string, string>();
  readonly #tokens = new Map<string, string>();
  readonly #keys = new SecretKeys();
  readonly #keysIn = (text: string) => this.#keys.find(text);

  /** `secretKeys` are those that are known beforehand. */
  constructor(secretKeys: Iterable<string>) {
    for (const key of secretKeys) this.learn(key);
  }

  /** A secret key is known from here on, wherever it stands. */
  learn(secretKey: string): void {
    this.#keys.learn(secretKey);
  }

  /** The name of a token; undefined when no answer has told it. */
  ofToken(token: string): string | undefined {
    return this.#tokens.get(token);
  }

  /** How many tokens have names. */
  get tokens(): number {
    return this.#tokens.size;
  }

  /** The JSON of something that was sent: what has a name is named, and no secret stays. */
  redactRequest(json: string): string {
    return this.#isDelicate(json) ? this.#replaced(json, false) : json;
  }

  /** The JSON of an answer: tokens and challenges get names, and the secret keys that it tells are known from here on. */
  redactResponse(json: string): string {
    return this.#isDelicate(json) ? this.#replaced(json, true) : json;
  }

  #isDelicate(json: string): boolean {
    return DELICATE.test(json) || this.#keys.find(json).length > 0 || mayHoldBytes(json);
  }

  /** Goes through the strings of JSON one after the other, however deeply it is nested; what is not hidden stays as it was written. */
  #replaced(json: string, isTold: boolean): string {
    let made = '';
    let done = 0;
    let isSecret = false;
    for (let open = json.indexOf('"'); open >= 0; open = json.indexOf('"', done)) {
      const between = json.slice(done, open);
      const close = closeOf(json, open);
      const quoted = json.slice(open, close + 1);
      const isFollowed = isSecret && COLON.test(between);
      const text = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
      if (isFollowed && isTold) this.learn(ofItsOwn(text));
      made += withoutLists(between) + (isFollowed ? `"${SECRET_NAME}"` : this.#literal(quoted, text, isTold));
      isSecret = text === 'secretKey';
      done = close + 1;
    }
    return withoutByteObjects(made + withoutLists(json.slice(done)));
  }

  /** A string of JSON as it may stand. */
  #literal(quoted: string, text: string, isTold: boolean): string {
    const name = this.#nameOf(text, isTold);
    if (name !== undefined) return `"${name}"`;
    const hidden = hiddenIn(text, this.#keysIn);
    if (hidden.startsWith('<')) return JSON.stringify(`<${hidden}`);
    return hidden === text ? quoted : JSON.stringify(hidden);
  }

  #nameOf(text: string, isTold: boolean): string | undefined {
    if (text.startsWith('eyJ') && WHOLE_TOKEN.test(text)) {
      if (isTold) return given(this.#tokens, 'token', text);
      return this.#tokens.get(text) ?? (isToken(text) ? '<token>' : undefined);
    }
    if (text.length < SHORTEST_HIDDEN && !text.startsWith(CHALLENGE_BEGIN)) return undefined;
    if (text.startsWith(CHALLENGE_BEGIN))
      return isTold
        ? given(this.#challenges, 'challenge', text)
        : (this.#challenges.get(text) ?? '<unknown challenge>');
    return this.#keys.has(text) ? SECRET_NAME : undefined;
  }
}

/** Whether a text is a token and nothing else. */
function isToken(text: string): boolean {
  return tokensIn(text).some(({ from, to }) => from === 0 && to === text.length);
}

function given(names: Map<string, string>, kind: string, value: string): string {
  const known = names.get(value);
  if (known !== undefined) return known;
  const name = `<${kind}-${names.size + 1}>`;
  names.set(ofItsOwn(value), name);
  return name;
}
