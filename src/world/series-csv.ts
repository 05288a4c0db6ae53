import { csvRows } from '../core/csv.js';
import { parseInstant } from '../core/domain/calendar.js';
import type { Token } from '../core/domain/money.js';
import type { FeedPoint } from './feed.js';
import { VALUE_DIGITS, type ValueKind } from './oracle.js';

/** The columns allowed in a series file, in addition to `time`, and the value that each has. */
export const SERIES = {
  usdc_apy: { kind: 'apy', token: 'USDC' },
  sol_apy: { kind: 'apy', token: 'SOL' },
  usdc_usd: { kind: 'usd', token: 'USDC' },
  sol_usd: { kind: 'usd', token: 'SOL' },
} as const satisfies Record<string, { kind: ValueKind; token: Token }>;
export type SeriesColumn = keyof typeof SERIES;
export const SERIES_COLUMNS = Object.keys(SERIES) as readonly SeriesColumn[];

/** Maximum characters of an invalid cell quoted in an error. */
const MAX_SHOWN = 60;

/** Decimal digits of the values of a column. */
export function digitsOf(column: SeriesColumn): number {
  return VALUE_DIGITS[SERIES[column].kind];
}

/** The maximum rate or price. */
export const MAX_VALUE = 1e9;

/** Parses a decimal into a whole number of 10^-digits, rounded to the nearest; null when it is not a decimal from 0 to 10^9. */
export function scaled(text: string, digits: number): bigint | null {
  const parts = /^(\d{1,12})(?:\.(\d+))?$/.exec(text);
  if (parts === null || Number(text) > MAX_VALUE) return null;
  const fraction = (parts[2] ?? '').padEnd(digits + 1, '0');
  const units = BigInt(`${parts[1]}${fraction.slice(0, digits)}`);
  return fraction.charAt(digits) >= '5' ? units + 1n : units;
}

/**
 * Parses a series of rates and prices: a header `time,…` with any of `SERIES_COLUMNS`, then ISO 8601 instants and decimals (an APY of
 * 0.017 is 1.7 %). An empty cell leaves the value unchanged. Throws RangeError with the line number for anything else.
 */
export function parseSeriesCsv(text: string): Partial<Record<SeriesColumn, FeedPoint[]>> {
  const lines = csvRows(text).map((cells) => cells.map((cell) => cell.trim()));
  const header = lines[0] ?? [];
  const isColumn = (name: string): name is SeriesColumn => SERIES_COLUMNS.some((known) => known === name);
  const columns = header.slice(1);
  const unknown = columns.find((name) => !isColumn(name));
  if (header[0] !== 'time' || columns.length === 0 || unknown !== undefined) {
    const [first, ...rest] = header.map((name) => name.toLowerCase());
    const isInCapitals = first === 'time' && rest.length > 0 && rest.every(isColumn);
    throw new RangeError(
      `line 1: expected "time" and any of ${SERIES_COLUMNS.join(', ')}${isInCapitals ? ', in lower case' : ''}; found "${header.join(',').slice(0, MAX_SHOWN)}"`,
    );
  }
  const series: Partial<Record<SeriesColumn, FeedPoint[]>> = {};
  for (const [at, cells] of lines.slice(1).entries()) {
    if (cells.every((cell) => cell === '')) continue;
    const atMs = parseInstant(cells[0] ?? '');
    if (atMs === null)
      throw new RangeError(
        `line ${at + 2}: "${(cells[0] ?? '').slice(0, MAX_SHOWN)}" is not an ISO 8601 instant`,
      );
    if (cells.length !== header.length)
      throw new RangeError(`line ${at + 2}: ${cells.length} cells, ${header.length} columns`);
    for (const [index, cell] of cells.slice(1).entries()) {
      if (cell === '') continue;
      const column = columns[index] as SeriesColumn;
      const value = scaled(cell, digitsOf(column));
      if (value === null)
        throw new RangeError(`line ${at + 2}: "${cell.slice(0, MAX_SHOWN)}" is not a decimal from 0 to 1e9`);
      (series[column] ??= []).push({ atMs, value });
    }
  }
  return series;
}
