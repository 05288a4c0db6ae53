/** Whether a value is an object with members: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Maximum levels of nesting, as in the JSON parser of Solana's validators (serde_json). */
const MAX_LEVELS = 128;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

/** Parses JSON. Throws SyntaxError, also when it is nested so deeply that recursive functions could not read it. */
export function parseJson(text: string, maxLevels = MAX_LEVELS): unknown {
  const value: unknown = JSON.parse(text);
  // Each level takes two brackets.
  if (text.length > 2 * maxLevels && isDeeper(value, maxLevels))
    throw new SyntaxError(`nested more than ${maxLevels} levels deep`);
  return value;
}

/** A value in its JSON form, such as the number of an amount. Members are unchanged. */
export function asJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('toJSON' in value)) return value;
  return typeof value.toJSON === 'function' ? (value.toJSON() as unknown) : value;
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The members of an object that have a value. */
export function defined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** The parts of a path such as `loans.0.status` or `loans[0].status`. */
export function pathParts(path: string): string[] {
  return path
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .split('.')
    .filter((part) => part !== '');
}

/** The value at a path: own members of objects, elements of lists; undefined if absent. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const part of pathParts(path)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Record<string, unknown>)[part];
  }
  return at;
}

/** Yields every string in a JSON value, with its path. */
export function* textsIn(
  value: unknown,
  path = '',
): Generator<{ readonly path: string; readonly text: string }> {
  if (typeof value === 'string') yield { path, text: value };
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value))
      yield* textsIn(member, path === '' ? name : `${path}.${name}`);
  }
}

/**
 * Replaces every string in a JSON value, and the names of members if `rename` is given. `change` also gets the
 * innermost member that contains the string. A value with nothing to replace is returned unchanged.
 */
export function mapTexts(
  value: unknown,
  change: (text: string, member: string) => unknown,
  rename: (name: string) => string = (name) => name,
  member = '',
): unknown {
  if (typeof value === 'string') return change(value, member);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list = value as readonly unknown[];
    const mapped = list.map((each) => mapTexts(each, change, rename, member));
    return mapped.every((each, at) => each === list[at]) ? list : mapped;
  }
  const members = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(members);
  const mapped = names.map((name) => [rename(name), mapTexts(members[name], change, rename, name)] as const);
  const isSame = mapped.every(([name, each], at) => name === names[at] && each === members[name]);
  return isSame ? members : Object.fromEntries(mapped);
}

/** The first issue that a schema found, after the path of the member; `whole` names the value itself. */
export function issueText(
  {
    issues: [issue],
  }: { readonly issues: readonly { readonly path: PropertyKey[]; readonly message: string }[] },
  whole = '',
): string {
  const place = issue?.path.join('.') || whole;
  return `${place === '' ? '' : `${place}: `}${issue?.message ?? 'not valid'}`;
}
