import type { Json } from '../step.js';

/** What a reference to something that is not there stands for: of the right form, and unknown to everybody. */
const NOBODYS: Readonly<Record<string, string>> = {
  signature: '2'.repeat(88),
  token: 'no-token',
  challenge: 'no challenge',
  header: 'bm90aGluZw==',
  loan: 'loan_that_is_not',
};

const REFERENCE = /\$\{([A-Za-z0-9_.]+)\}/g;

/** JSON with each reference replaced by what it stands for. */
export function resolved(json: Json, valueOf: (name: string) => string | undefined): Json {
  if (typeof json === 'string') {
    if (!json.includes('${')) return json;
    return json.replace(REFERENCE, (text, name: string) => {
      const kind = name.slice(name.lastIndexOf('.') + 1);
      return valueOf(name) ?? NOBODYS[kind] ?? text;
    });
  }
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return (json as readonly Json[]).map((each) => resolved(each, valueOf));
  return Object.fromEntries(
    Object.entries(json as Record<string, Json>).map(([name, value]) => [name, resolved(value, valueOf)]),
  );
}
