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

/** The values that each member of a query can have. */
export type Filters<Query> = Readonly<Record<keyof Query, readonly string[] | 'any'>>;

/** Throws RangeError for a member that a query does not have, or for a value that the member cannot have. */
export function checkQuery<Query extends object>(query: Query, filters: Filters<Query>): void {
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(filters, name))
      throw new RangeError(
        `${name}: there is no such filter${suggestion(name, Object.keys(filters)) || '.'}`,
      );
    const allowed = filters[name as keyof Query];
    if (allowed !== 'any' && !allowed.includes(value as string))
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
