import { SECRET_NAME } from './names.js';

/** A text of JSON has nothing to be hidden, and nothing that looks like what hides it, when it has none of these. */
const DELICATE = /eyJ|secretKey|agent-bank-sim wants|"<|"[1-9A-HJ-NP-Za-km-z]{80}/;

/** What may have a name: challenges, tokens, secret keys, and what begins as names do. */
const FOUND =
  /"(?:<|agent-bank-sim wants you to sign in[^"]*"|eyJ[\w-]+\.[\w-]+\.[\w-]+"|[1-9A-HJ-NP-Za-km-z]{80,}")/g;

/** A token anywhere, also within a longer text. */
const TOKEN = /eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{16,}/g;
const SECRET = /(?<=(?<!\\)"secretKey":\s*)"(?:[^"\\]|\\.)*"/g;

/** The same text in memory of its own. A part that was cut out of a text keeps the whole of it in memory, here for as long as the recording. */
function ofItsOwn(text: string): string {
  return ` ${text}`.slice(1);
}

/**
 * What must not stay in a recording, and the names that stand in its place: tokens and challenges are named by the answer that tells
 * them, such as `<token-3>`, so that what is sent afterwards can refer to them; secret keys are all called alike.
 */
export class Secrets {
  readonly #challenges = new Map<string, string>();
  readonly #tokens = new Map<string, string>();
  readonly #secretKeys: ReadonlySet<string>;

  /** `secretKeys` are those that are known beforehand. */
  constructor(secretKeys: Iterable<string>) {
    this.#secretKeys = new Set(secretKeys);
  }

  /** The name of a token; undefined when no answer has told it. */
  ofToken(token: string): string | undefined {
    return this.#tokens.get(token);
  }

  /** The name of a challenge; undefined when no answer has told it. */
  ofChallenge(challenge: string): string | undefined {
    return this.#challenges.get(challenge);
  }

  /** How many tokens have names. */
  get tokens(): number {
    return this.#tokens.size;
  }

  /** The JSON of something that was sent: what has a name is named, and no secret stays. */
  asked(json: string): string {
    return DELICATE.test(json) ? this.#replaced(json, false) : json;
  }

  /** The JSON of an answer: tokens and challenges get names. */
  told(json: string): string {
    return DELICATE.test(json) ? this.#replaced(json, true) : json;
  }

  #replaced(json: string, isTold: boolean): string {
    const named = json.replace(FOUND, (whole: string, at: number) => {
      // A quote within a string has a backslash before it.
      if (whole === '"<') return json[at - 1] === '\\' ? whole : '"<<';
      const name = this.#nameOf(whole, isTold);
      return name === undefined ? whole : `"${name}"`;
    });
    const open = named.includes('"secretKey"') ? named.replace(SECRET, `"${SECRET_NAME}"`) : named;
    return open.includes('eyJ') ? open.replace(TOKEN, '<token>') : open;
  }

  #nameOf(quoted: string, isTold: boolean): string | undefined {
    const text = quoted.slice(1, -1);
    if (text.startsWith('eyJ')) return isTold ? given(this.#tokens, 'token', text) : this.#tokens.get(text);
    if (!text.startsWith('agent-bank-sim ')) return this.#secretKeys.has(text) ? SECRET_NAME : undefined;
    // A challenge has line ends, which JSON writes otherwise.
    const challenge = JSON.parse(quoted) as string;
    return isTold ? given(this.#challenges, 'challenge', challenge) : this.#challenges.get(challenge);
  }
}

function given(names: Map<string, string>, kind: string, value: string): string {
  const known = names.get(value);
  if (known !== undefined) return known;
  const name = `<${kind}-${names.size + 1}>`;
  names.set(ofItsOwn(value), name);
  return name;
}
