const REQUEST_ID = /^(?:req|rpc|ctl|fac)_\d{8,}$/;

type Kind = 'signature' | 'id' | 'text';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NUMBERED = /^(?:(?:loan|payment)_[0-9a-f]{24}|(?:snapshot|fork|fault)-\d+)$/;
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{85,90}$/;
const SIGNED_TEXT = /^[A-Za-z0-9+/_-]{100,}={0,2}$/;
/** The lengths of addresses, which are what they are and the most frequent long strings. */
const ADDRESS_LENGTHS: ReadonlySet<number> = new Set([43, 44]);

/** What kind of string that a world makes up this is; null for another. */
function kindOf(text: string): Kind | null {
  if (ADDRESS_LENGTHS.has(text.length)) return null;
  if (UUID.test(text) || NUMBERED.test(text)) return 'id';
  if (SIGNATURE.test(text)) return 'signature';
  return SIGNED_TEXT.test(text) ? 'text' : null;
}

/** What stands in the place of a request's id, which nothing refers to. */
export const REQUEST = '<request>';
/** What stands in the place of a secret. */
export const SECRET_NAME = '<secret>';

/** Whether a string of a recording is a name of something. */
export function isName(text: string): boolean {
  return text.startsWith('<') && !text.startsWith('<<');
}

/** Shorter texts are no ids but the numbered ones, and no signatures. */
const LONG = 29;
const DIGIT_0 = 48;
const DIGIT_9 = 57;

/** Whether a text may have been made up by the world, seen at a glance: most are words. */
function mayBeMadeUp(text: string): boolean {
  if (text.length >= LONG) return !text.startsWith('<');
  const last = text.charCodeAt(text.length - 1);
  return last >= DIGIT_0 && last <= DIGIT_9 && (text.includes('-') || text.includes('_'));
}

/** Puts other texts into a value that was read from JSON, also as names of members. What is named already stays as it is. */
function withTexts(value: unknown, textOf: (text: string) => string): unknown {
  if (typeof value === 'string') return mayBeMadeUp(value) ? textOf(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) value[at] = withTexts(value[at], textOf);
    return value;
  }
  const members = value as Record<string, unknown>;
  let hasOtherNames = false;
  for (const name in members) {
    const member = members[name];
    const named = withTexts(member, textOf);
    if (named !== member) members[name] = named;
    hasOtherNames ||= mayBeMadeUp(name);
  }
  if (!hasOtherNames) return members;
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [mayBeMadeUp(name) ? textOf(name) : name, member]),
  );
}

/**
 * Names for what the world makes up: ids, signatures, signed texts. The first answer that holds such a string gives it a name, such as
 * `<id-3>`; from there on the name stands in its place, so what replays make up themselves can be told by its place.
 */
export class IdAliases {
  readonly #byValue = new Map<string, string>();
  readonly #counts: Record<Kind, number> = { signature: 0, id: 0, text: 0 };

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

  /** Something that was sent, as it was read from JSON: what has a name is named, in place. */
  aliasRequest(value: unknown): unknown {
    return withTexts(value, (text) => (REQUEST_ID.test(text) ? REQUEST : (this.of(text) ?? text)));
  }

  /** An answer, as it was read from JSON: what the world made up gets a name, in place. */
  aliasResponse(value: unknown): unknown {
    return withTexts(value, (text) => {
      if (REQUEST_ID.test(text)) return REQUEST;
      const kind = kindOf(text);
      return kind === null ? (this.of(text) ?? text) : this.give(kind, text);
    });
  }
}
