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
 * JSON text without any of these, a known key or a long list of numbers contains nothing to redact, and
 * nothing that looks like an alias.
 */
const DELICATE = /eyJ|secretKey|agent-bank-sim wants|"<|\\u|"63\\?"/;

const WHOLE_TOKEN = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;
const CHALLENGE_BEGIN = 'agent-bank-sim wants you to sign in';
/** The text between a member's name and its value. */
const COLON = /^\s*:\s*$/;

const BACKSLASH = 92;

/** A copy of a text. A slice would retain the whole text it was cut from, here for as long as the recording. */
function ofItsOwn(text: string): string {
  return ` ${text}`.slice(1);
}

/** The position of the closing quote of a JSON string. */
function closeOf(json: string, open: number): number {
  for (let at = json.indexOf('"', open + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let from = at;
    while (json.charCodeAt(from - 1) === BACKSLASH) from -= 1;
    if ((at - from) % 2 === 0) return at;
  }
  return json.length - 1;
}

/**
 * Replaces secrets in a recording by aliases: tokens and challenges get one from the response that contains
 * them, such as `<token-3>`, so that later requests can refer to it; all secret keys share one.
 */
export class SecretRedactor {
  readonly #challenges = new Map<string, string>();
  readonly #tokens = new Map<string, string>();
  readonly #keys = new SecretKeys();
  readonly #keysIn = (text: string) => this.#keys.find(text);

  /** `secretKeys` are those known beforehand. */
  constructor(secretKeys: Iterable<string>) {
    for (const key of secretKeys) this.learn(key);
  }

  /** Adds a secret key, to be redacted everywhere from now on. */
  learn(secretKey: string): void {
    this.#keys.learn(secretKey);
  }

  /** The alias of a token; undefined when no response contained it. */
  ofToken(token: string): string | undefined {
    return this.#tokens.get(token);
  }

  get tokens(): number {
    return this.#tokens.size;
  }

  /** Redacts the JSON of a request: known strings become aliases, and no secret stays. */
  redactRequest(json: string): string {
    return this.#isDelicate(json) ? this.#replaced(json, false) : json;
  }

  /** Redacts the JSON of a response: tokens and challenges get aliases, and secret keys in it are known from then on. */
  redactResponse(json: string): string {
    return this.#isDelicate(json) ? this.#replaced(json, true) : json;
  }

  #isDelicate(json: string): boolean {
    return DELICATE.test(json) || this.#keys.find(json).length > 0 || mayHoldBytes(json);
  }

  /** Replaces the strings of JSON text without recursion; all else is preserved verbatim. */
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

  /** A JSON string, redacted. */
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
