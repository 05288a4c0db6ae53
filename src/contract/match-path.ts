import type { Endpoint } from './endpoints.js';

const ID = '{id}';

/** Whether a path of an endpoint or command has an id in it. */
export function hasId(path: string): boolean {
  return path.includes(ID);
}

/** A path with its id, which the caller has encoded where a URL needs it, and the members of its query that have a value. */
export function filledPath(path: string, id = '', query: object = {}): string {
  const filled = path.replace(ID, () => id);
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return filled;
  const texts = given.map(([name, value]): [string, string] => [name, String(value)]);
  return `${filled}?${new URLSearchParams(texts).toString()}`;
}

/** A path as a route of the HTTP router. */
export function routeOf(path: string): string {
  return path.replace(ID, ':id');
}

/** The operation of a table that a request addresses, by its path below the base URL, and the id in it, still encoded. */
export function operationAt<I extends string>(
  table: Readonly<Record<I, Pick<Endpoint, 'method' | 'path'>>>,
  method: string,
  path: string,
): { readonly operation: I; readonly id: string | null } | null {
  let found: { readonly operation: I; readonly id: string | null } | null = null;
  for (const operation of Object.keys(table) as I[]) {
    const endpoint = table[operation];
    if (endpoint.method !== method) continue;
    if (endpoint.path === path) return { operation, id: null };
    const [before = '', after] = endpoint.path.split(ID);
    if (after === undefined || !path.startsWith(before) || !path.endsWith(after)) continue;
    const id = path.slice(before.length, path.length - after.length);
    if (id !== '' && !id.includes('/')) found ??= { operation, id };
  }
  return found;
}
