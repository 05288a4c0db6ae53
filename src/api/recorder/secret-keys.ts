/** Shorter base58 texts contain no secret key. */
const SHORTEST = 80;
/** The number of leading characters that keys are indexed by. */
const PREFIX = 8;

/** Whether a character code is in the base58 alphabet. */
const IS_BASE58 = new Uint8Array(128);
for (const character of '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz')
  IS_BASE58[character.charCodeAt(0)] = 1;

function isBase58(text: string, at: number): boolean {
  return IS_BASE58[text.charCodeAt(at)] === 1;
}

export interface Part {
  readonly from: number;
  readonly to: number;
}

/** Known secret keys, and a search for them in texts. */
export class SecretKeys {
  readonly #byPrefix = new Map<string, string[]>();

  /** Adds a key; ignores what cannot be one. */
  learn(key: string): void {
    if (key.length < SHORTEST || key.length > 90) return;
    for (let at = 0; at < key.length; at += 1) if (!isBase58(key, at)) return;
    const prefix = key.slice(0, PREFIX);
    const others = this.#byPrefix.get(prefix);
    if (others === undefined) this.#byPrefix.set(prefix, [key]);
    else if (!others.includes(key)) others.push(key);
  }

  has(text: string): boolean {
    return this.#byPrefix.get(text.slice(0, PREFIX))?.includes(text) === true;
  }

  /** The positions of keys in a text. Inspects few characters of texts without long runs of base58. */
  find(text: string): Part[] {
    const found: Part[] = [];
    if (text.length < SHORTEST) return found;
    // Every run that is long enough includes one of these positions.
    for (let at = SHORTEST - 1; at < text.length; at += SHORTEST) {
      if (!isBase58(text, at)) continue;
      let from = at;
      while (from > 0 && isBase58(text, from - 1)) from -= 1;
      let to = at + 1;
      while (to < text.length && isBase58(text, to)) to += 1;
      if (to - from >= SHORTEST) this.#findIn(text, { from, to }, found);
      if (to > at + SHORTEST) at += Math.floor((to - at - 1) / SHORTEST) * SHORTEST;
    }
    return found;
  }

  #findIn(text: string, { from, to }: Part, found: Part[]): void {
    for (let at = from; at + SHORTEST <= to; at += 1) {
      const keys = this.#byPrefix.get(text.slice(at, at + PREFIX));
      const key = keys?.find((each) => text.startsWith(each, at));
      if (key === undefined) continue;
      found.push({ from: at, to: at + key.length });
      at += key.length - 1;
    }
  }
}
