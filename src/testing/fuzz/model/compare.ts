/** Facts that checks learn and look up. Ids belong to one world: copies of a model learn independently. */
export interface Memory {
  /** Registers a text that may occur only once per world. Returns whether it is new. */
  isNew(text: string): boolean;
  recordId(at: RecordPlace): string | null;
  learnRecordId(at: RecordPlace, id: string): void;
  recordSignature(at: RecordPlace): string | null;
  learnRecordSignature(at: RecordPlace, signature: string): void;
  loanId(at: LoanPlace): string | null;
  learnLoanId(at: LoanPlace, id: string): void;
  learnChallenge(text: string, of: { wallet: string; expiresMs: number }): void;
  learnToken(token: string, of: { wallet: string; expiresMs: number }): void;
  /** The service chose the other value for a yield too close to a whole base unit to be predicted. */
  learnYield(at: { wallet: string; token: 'USDC' | 'SOL'; record: number }, differenceBase: bigint): void;
}

/** Index of a history record of a wallet. */
export interface RecordPlace {
  readonly wallet: string;
  readonly index: number;
}

/** Index of a loan among those of its borrower, oldest first. */
export type LoanPlace = RecordPlace;

/** Path and description of a difference. */
export interface Difference {
  /** Such as `.loans[0].id`; empty for the value itself. */
  readonly path: string;
  readonly text: string;
}

/** A member whose exact value is not known before the answer. */
export abstract class Check {
  /** Null when the value is valid; otherwise what was expected, in words, or the difference. May learn the value. */
  abstract see(actual: unknown, memory: Memory): string | Difference | null;
}

/** An expected JSON value. */
export type Tree =
  string | number | boolean | null | Check | readonly Tree[] | { readonly [member: string]: Tree };

/** The JSON form of a member, which may be an amount object with `toJSON`. */
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

function differs(path: string, wanted: string, actual: unknown): Difference {
  return { path, text: `expected ${wanted}, got ${shown(actual)}` };
}

/** The first difference as `path: expected X, got Y`; null for none. */
export function compare(expected: Tree, actual: unknown, memory: Memory): string | null {
  const difference = differenceOf(expected, actual, memory);
  if (difference === null) return null;
  const path = difference.path.startsWith('.') ? difference.path.slice(1) : difference.path;
  return `${path === '' ? 'body' : path}: ${difference.text}`;
}

/** The first difference between expected and actual value; null for none. */
export function differenceOf(expected: Tree, given: unknown, memory: Memory): Difference | null {
  if (typeof expected !== 'object' || expected === null) {
    if (expected === given) return null;
    const actual = plain(given);
    return expected === actual ? null : differs('', shown(expected), actual);
  }
  const actual = plain(given);
  if (expected instanceof Check) {
    const wanted = expected.see(actual, memory);
    if (wanted === null) return null;
    return typeof wanted === 'string' ? differs('', wanted, actual) : wanted;
  }
  if (Array.isArray(expected)) return listDifference(expected as readonly Tree[], actual, memory);
  return memberDifference(expected as { readonly [member: string]: Tree }, actual, memory);
}

function listDifference(expected: readonly Tree[], actual: unknown, memory: Memory): Difference | null {
  if (!Array.isArray(actual)) return differs('', 'an array', actual);
  if (actual.length !== expected.length) return differs('', `${expected.length} items`, actual);
  for (let at = 0; at < expected.length; at += 1) {
    const difference = differenceOf(expected[at] ?? null, actual[at], memory);
    if (difference !== null) return { ...difference, path: `[${at}]${difference.path}` };
  }
  return null;
}

function memberDifference(
  expected: { readonly [member: string]: Tree },
  actual: unknown,
  memory: Memory,
): Difference | null {
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual))
    return differs('', 'an object', actual);
  const members = actual as Readonly<Record<string, unknown>>;
  let surplus = 0;
  for (const name in expected) {
    surplus -= 1;
    const given = members[name];
    if (given === undefined) return differs(`.${name}`, shown(expected[name]), undefined);
    const difference = differenceOf(expected[name] ?? null, given, memory);
    if (difference !== null) return { ...difference, path: `.${name}${difference.path}` };
  }
  for (const name in members) if (members[name] !== undefined) surplus += 1;
  if (surplus === 0) return null;
  const extra = Object.keys(members).find((name) => members[name] !== undefined && !(name in expected)) ?? '';
  return differs(`.${extra}`, 'nothing', members[extra]);
}
