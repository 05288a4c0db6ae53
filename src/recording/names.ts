/**
 * What is looked for in a text of JSON: whole strings that the world has made up, and strings that begin like a name of such a
 * string. A quote within a string has a backslash before it, so a quote without one begins or ends a string.
 */
const FOUND =
  /(?<!\\)"(?:<|(eyJ[\w-]+\.[\w-]+\.[\w-]+)"|([1-9A-HJ-NP-Za-km-z]{85,90})"|([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?:loan|payment)_[0-9a-f]{24}|(?:snapshot|fork|fault)-\d+)"|(?:req|rpc|ctl|fac)_\d{8,}"|(agent-bank-sim wants you to sign in[^"]*)"|([A-Za-z0-9+/_-]{100,}={0,2})")/g;

/** A token anywhere, also within a longer text. */
const TOKEN = /eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{16,}/g;
const SECRET = /(?<=(?<!\\)"secretKey":\s*)"(?:[^"\\]|\\.)*"/g;

/** The kinds of strings that are named, in the order of the groups of the expression above. */
const KINDS = ['token', 'signature', 'id', 'challenge', 'text'] as const;
type Kind = (typeof KINDS)[number];

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
  readonly #counts: Record<Kind, number> = { token: 0, signature: 0, id: 0, challenge: 0, text: 0 };

  /** `fixed` are names of what is known beforehand, by value. */
  constructor(fixed: Iterable<readonly [value: string, name: string]>) {
    for (const [value, name] of fixed) this.#byValue.set(value, name);
  }

  /** The name of a string; undefined when it has none. */
  of(value: string): string | undefined {
    return this.#byValue.get(value);
  }

  /** A name for what has been made up by somebody else. */
  give(kind: Kind, value: string): string {
    const known = this.#byValue.get(value);
    if (known !== undefined) return known;
    this.#counts[kind] += 1;
    const name = `<${kind}-${this.#counts[kind]}>`;
    this.#byValue.set(value, name);
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

  #replaced(json: string, isTold: boolean): string {
    const named = json.replace(FOUND, (whole: string, ...groups: (string | undefined)[]) => {
      if (whole === '"<') return '"<<';
      for (let at = 0; at < KINDS.length; at += 1) {
        const value = groups[at];
        if (value === undefined) continue;
        const kind = KINDS[at] as Kind;
        // A challenge has line ends, which JSON writes otherwise.
        const plain = kind === 'challenge' ? (JSON.parse(whole) as string) : value;
        const name = isTold ? this.give(kind, plain) : this.#byValue.get(plain);
        return name === undefined ? whole : `"${name}"`;
      }
      return `"${REQUEST}"`;
    });
    const open = named.includes('"secretKey"') ? named.replace(SECRET, `"${SECRET_NAME}"`) : named;
    return open.includes('eyJ') ? open.replace(TOKEN, '<token>') : open;
  }
}
