/** What a check may remember, and may ask for what was learned before. Ids are those of one world: its copies learn on their own. */
export interface Memory {
  /** Notes a text that may come once in a world. Gives whether it is new. */
  isNew(text: string): boolean;
  recordId(at: RecordPlace): string | null;
  learnRecordId(at: RecordPlace, id: string): void;
  recordSignature(at: RecordPlace): string | null;
  learnRecordSignature(at: RecordPlace, signature: string): void;
  loanId(at: LoanPlace): string | null;
  learnLoanId(at: LoanPlace, id: string): void;
  learnChallenge(text: string, of: { wallet: string; expiresMs: number }): void;
  learnToken(token: string, of: { wallet: string; expiresMs: number }): void;
  /** The service chose the other neighbour of a yield that is too near to a whole base unit to be told by anybody. */
  learnYield(at: { wallet: string; token: 'USDC' | 'SOL'; record: number }, differenceBase: bigint): void;
}

/** Where a history record stands. */
export interface RecordPlace {
  readonly wallet: string;
  readonly index: number;
}

/** Where a loan stands among those of its borrower, oldest first. */
export type LoanPlace = RecordPlace;

/** A member that is not known to the last letter before the answer. */
export abstract class Check {
  /** What was expected, in words, when the value does not hold; null when it does. May remember the value. */
  abstract see(actual: unknown, memory: Memory): string | null;
}

/** An expected JSON value. */
export type Tree =
  string | number | boolean | null | Check | readonly Tree[] | { readonly [member: string]: Tree };

/** The JSON value of a member, which may be an amount that knows its number. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === 'function' ? (toJSON.call(value) as unknown) : value;
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

/** The first difference between what was expected and what came, as `path: expected X, got Y`; null for none. */
export function compare(expected: Tree, given: unknown, memory: Memory, path = ''): string | null {
  const actual = plain(given);
  if (typeof expected !== 'object' || expected === null) {
    if (expected === actual) return null;
    return `${path || 'body'}: expected ${shown(expected)}, got ${shown(actual)}`;
  }
  if (expected instanceof Check) {
    const wanted = expected.see(actual, memory);
    if (wanted === null) return null;
    return wanted.startsWith('→ ')
      ? `${path}${wanted.slice(2)}`
      : `${path || 'body'}: expected ${wanted}, got ${shown(actual)}`;
  }
  if (Array.isArray(expected)) return compareLists(expected as readonly Tree[], actual, memory, path);
  return compareMembers(expected as { readonly [member: string]: Tree }, actual, memory, path);
}

function compareLists(
  expected: readonly Tree[],
  actual: unknown,
  memory: Memory,
  path: string,
): string | null {
  if (!Array.isArray(actual)) return `${path || 'body'}: expected an array, got ${shown(actual)}`;
  if (actual.length !== expected.length)
    return `${path || 'body'}: expected ${expected.length} items, got ${actual.length}: ${shown(actual)}`;
  for (const [at, item] of expected.entries()) {
    const difference = compare(item, actual[at], memory, `${path}[${at}]`);
    if (difference !== null) return difference;
  }
  return null;
}

function compareMembers(
  expected: { readonly [member: string]: Tree },
  actual: unknown,
  memory: Memory,
  path: string,
): string | null {
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual))
    return `${path || 'body'}: expected an object, got ${shown(actual)}`;
  const members = actual as Readonly<Record<string, unknown>>;
  const prefix = path === '' ? '' : `${path}.`;
  let wanted = 0;
  for (const name in expected) {
    wanted += 1;
    const given = members[name];
    if (given === undefined) return `${prefix}${name}: expected ${shown(expected[name])}, got nothing`;
    const difference = compare(expected[name] as Tree, given, memory, prefix + name);
    if (difference !== null) return difference;
  }
  let found = 0;
  for (const name in members) if (members[name] !== undefined) found += 1;
  if (found === wanted) return null;
  const extra = Object.keys(members).find((name) => members[name] !== undefined && !(name in expected));
  return `${prefix}${extra}: expected nothing, got ${shown(members[extra ?? ''])}`;
}
