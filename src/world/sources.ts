import { isoOf, parseDuration, parseInstant } from '../core/domain/calendar.js';
import type { OracleFeeds } from './oracle.js';
import { type Feed, type FeedPoint, type FeedSource, fixedFeed, seriesFeed, walkFeed } from './feed.js';
import { MAX_VALUE, SERIES_COLUMNS, type SeriesColumn, digitsOf, parseSeriesCsv } from './series-csv.js';

/** A point of a series, in human units; the instant is ISO 8601 or milliseconds since 1970. */
export interface SeriesPoint {
  readonly at: string | number;
  readonly value: number;
}

/** A rate (0.017 is 1.7 %) or a price in USD: fixed, a series, or a seeded walk. */
export type ValueSource =
  | number
  | { readonly series: readonly SeriesPoint[] }
  | {
      readonly walk: {
        readonly start: number;
        readonly every: string;
        readonly step: number;
        readonly min?: number | undefined;
        readonly max?: number | undefined;
      };
    };

/** The JSON form of a series file. */
export type SeriesByColumn = Readonly<Partial<Record<SeriesColumn, readonly SeriesPoint[] | undefined>>>;

export const NO_SOURCE = 'a source is a number, a series or a walk';

/** Converts a decimal to a whole number of 10^-digits, rounded to the nearest. Throws RangeError below 0 and above 10^9. */
export function toUnits(value: number, digits: number): bigint {
  if (!(value >= 0 && value <= MAX_VALUE))
    throw new RangeError(`a rate or price is from 0 to 1e9, not ${value}`);
  return BigInt(value.toFixed(digits).replace('.', ''));
}

/** Milliseconds since 1970. Throws RangeError for an invalid instant. */
export function instantOf(at: string | number): number {
  const atMs = typeof at === 'number' ? at : parseInstant(at);
  if (atMs === null || !Number.isFinite(atMs))
    throw new RangeError(`not an ISO 8601 instant with a time zone: ${at}`);
  return atMs;
}

interface FeedOptions {
  readonly digits: number;
  /** Makes the walks of each world different. */
  readonly seed: string;
  readonly startMs: number;
}

function pointsOf(series: readonly SeriesPoint[], digits: number): FeedPoint[] {
  return series.map(({ at, value }) => ({ atMs: instantOf(at), value: toUnits(value, digits) }));
}

function walkOf({ walk }: Extract<ValueSource, { walk: unknown }>, options: FeedOptions): Feed {
  const { start, every, step, min = start / 4, max = start * 4 } = walk;
  if (!(min <= start && start <= max)) throw new RangeError('the start of a walk is from min to max');
  const { digits, seed, startMs } = options;
  return walkFeed({
    seed,
    startMs,
    start: toUnits(start, digits),
    everyMs: parseDuration(every) ?? 0,
    stepPpm: Math.round(step * 1_000_000),
    min: toUnits(min, digits),
    max: toUnits(max, digits),
  });
}

/** The feed of a source, in units of 10^-digits. Throws RangeError for an invalid source. */
export function feedOf(value: ValueSource, options: FeedOptions): Feed {
  if (typeof value === 'number') return fixedFeed(toUnits(value, options.digits));
  if ('series' in value) return seriesFeed(pointsOf(value.series, options.digits));
  if ('walk' in value) return walkOf(value, options);
  throw new RangeError(NO_SOURCE);
}

/** Recreates a feed from its source. Throws RangeError for an invalid source. */
export function feedFrom(source: FeedSource): Feed {
  switch (source.kind) {
    case 'fixed':
      return fixedFeed(source.value);
    case 'series':
      return seriesFeed(source.points);
    case 'walk':
      return walkFeed(source);
  }
}

/** The instant of the first point of a series; null for sources that always have a value. */
export function firstInstantOf(value: ValueSource): number | null {
  if (typeof value === 'number' || !('series' in value)) return null;
  return Math.min(...value.series.map(({ at }) => instantOf(at)));
}

/** The sources of a world's rates and prices. A series file's columns take precedence over the individual sources. */
export interface OracleSources {
  readonly usdcApy: ValueSource;
  readonly solApy: ValueSource;
  readonly usdcUsd: ValueSource;
  readonly solUsd: ValueSource;
  /** The text of a series file; null for none. */
  readonly csv: string | null;
}

/** The feeds of a world: APYs in ppm, prices in 10^-8 USD. Throws for a malformed series file. */
export function oracleFeeds(sources: OracleSources, seed: string, startMs: number): OracleFeeds {
  const series = sources.csv === null ? {} : parseSeriesCsv(sources.csv);
  const feed = (column: SeriesColumn, source: ValueSource): Feed => {
    const points = series[column];
    return points === undefined
      ? feedOf(source, { digits: digitsOf(column), seed: `${seed}/${column}`, startMs })
      : seriesFeed(points);
  };
  return {
    apy: { USDC: feed('usdc_apy', sources.usdcApy), SOL: feed('sol_apy', sources.solApy) },
    price: { USDC: feed('usdc_usd', sources.usdcUsd), SOL: feed('sol_usd', sources.solUsd) },
  };
}

/** The points of a series by column, from a CSV text or its JSON form. Throws an error that names what is invalid. */
export function seriesPoints(series: string | SeriesByColumn): Partial<Record<SeriesColumn, FeedPoint[]>> {
  const points =
    typeof series === 'string'
      ? parseSeriesCsv(series)
      : Object.fromEntries(
          SERIES_COLUMNS.flatMap((column) => {
            const given = series[column];
            return given === undefined ? [] : [[column, pointsOf(given, digitsOf(column))] as const];
          }),
        );
  const columns = Object.values(points);
  if (columns.length === 0 || columns.some(({ length }) => length === 0))
    throw new RangeError(`the series has no value; give at least one line, such as ${isoOf(0)},0.05`);
  return points;
}
