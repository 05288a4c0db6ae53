/** Whether a value is an object with members: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
