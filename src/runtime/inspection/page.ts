import { firstWhere } from '../../core/bisect.js';
import { refusedValue, suggestion } from '../../core/suggestion.js';

export interface PageQuery {
  /** `next` of the previous page. */
  readonly cursor?: string | undefined;
  /** Most rows, 1 to 1,000; 100 by default. */
  readonly limit?: number | undefined;
}

/** The default number of rows per page. */
export const PAGE_ROWS = 100;

/** Maximum candidates examined for one page; a page with too few matches is short, and has a next one. */
export const MOST_LOOKED_AT = 10_000;

/** The values of the members of a query that have only some; the names of its other members. */
export type Filters<Query> = [Partial<Record<keyof Query, readonly string[]>>, ...others: (keyof Query)[]];

/** Throws RangeError for a member that a query does not have, or for a value that the member cannot have. */
export function checkQuery<Query extends object>(query: Query, ...[lists, ...others]: Filters<Query>): void {
  const known = [...Object.keys(lists), ...others] as string[];
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (!known.includes(name))
      throw new RangeError(`${name}: there is no such filter${suggestion(name, known) || '.'}`);
    const allowed = lists[name as keyof Query];
    if (allowed?.includes(value as string) === false)
      throw new RangeError(`${refusedValue(name, value, allowed)} Allowed: ${allowed.join(', ')}`);
  }
}

/** The number in a cursor. Throws RangeError for an invalid cursor, and for one beyond `last`, the highest of the list. */
export function cursorNumber(cursor: string, last: number): number {
  const number = /^\d{1,15}$/.test(cursor) ? Number(cursor) : Number.NaN;
  if (number >= 1 && number <= last) return number;
  throw new RangeError('cursor: not issued by this list; leave it out for the first page');
}

/** The position of the first element that is not below `value`, in an ascending list; its length when all are below. */
export function lowerBound(values: readonly number[], value: number): number {
  return firstWhere(values.length, (at) => (values[at] as number) >= value);
}
