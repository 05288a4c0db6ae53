import type { Json } from '../step.js';

/** Values of unresolved references: well-formed, but unknown to bank and chain. */
const NOBODYS: Readonly<Record<string, string>> = {
  signature: '2'.repeat(88),
  token: 'no-token',
  challenge: 'no challenge',
  header: 'bm90aGluZw==',
  loan: 'loan_that_is_not',
};

const REFERENCE = /\$\{([A-Za-z0-9_.]+)\}/g;

/** Replaces references in JSON by their values; returns the same object when it has none. */
export function resolved(json: Json, valueOf: (name: string) => string | undefined): Json {
  if (typeof json === 'string') {
    if (!json.includes('${')) return json;
    return json.replace(REFERENCE, (text, name: string) => {
      const kind = name.slice(name.lastIndexOf('.') + 1);
      return valueOf(name) ?? NOBODYS[kind] ?? text;
    });
  }
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) {
    const list = json as readonly Json[];
    const replaced = list.map((each) => resolved(each, valueOf));
    return replaced.some((each, at) => each !== list[at]) ? replaced : list;
  }
  return membersResolved(json as Record<string, Json>, valueOf);
}

/** Most objects hold no reference and are returned unchanged. */
function membersResolved(
  json: Record<string, Json>,
  valueOf: (name: string) => string | undefined,
): Record<string, Json> {
  let made: Record<string, Json> | null = null;
  for (const name of Object.keys(json)) {
    const value = json[name] as Json;
    const replaced = resolved(value, valueOf);
    if (replaced === value) continue;
    made ??= Object.fromEntries(Object.entries(json));
    // Plain assignment would lose a member of this name.
    if (name === '__proto__') Object.defineProperty(made, name, { value: replaced, enumerable: true });
    else made[name] = replaced;
  }
  return made ?? json;
}
