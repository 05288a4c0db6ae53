import { firstWhere } from '../../core/bisect.js';

/** The default number of rows per page. */
export const PAGE_ROWS = 100;

/** Maximum candidates examined for one page; a page with too few matches is short, and has a next one. */
export const MOST_LOOKED_AT = 10_000;

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
