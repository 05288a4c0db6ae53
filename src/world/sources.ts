import { parseDuration, parseInstant } from '../domain/calendar.js';
import type { OracleFeeds } from './oracle.js';
import { type Feed, fixedFeed, seriesFeed, walkFeed } from './feed.js';
import { type SeriesColumn, parseSeriesCsv } from './series-csv.js';

/** A rate or price in human units: fixed, a series of changes, or a seeded walk. */
export type ValueSource =
  | number
  | { readonly series: readonly { readonly at: string | number; readonly value: number }[] }
  | {
      readonly walk: {
        readonly start: number;
        readonly every: string;
        readonly step: number;
        readonly min?: number | undefined;
        readonly max?: number | undefined;
      };
    };

/** The largest rate or price. */
const MAX_VALUE = 1e9;

/** A decimal as a whole number of 10^-digits, to the nearest. Throws RangeError below 0 and above 10^9. */
export function toUnits(value: number, digits: number): bigint {
  if (!(value >= 0 && value <= MAX_VALUE))
    throw new RangeError(`a rate or price is from 0 to 1e9, not ${value}`);
  return BigInt(value.toFixed(digits).replace('.', ''));
}

function instantOf(at: string | number): number {
  const atMs = typeof at === 'number' ? at : parseInstant(at);
  if (atMs === null) throw new RangeError(`not an ISO 8601 instant with its zone: ${at}`);
  return atMs;
}

/** The feed of a source, in units of 10^-digits. `seed` tells the walks of one world apart. */
export function feedOf(value: ValueSource, options: { digits: number; seed: string; startMs: number }): Feed {
  const { digits } = options;
  if (typeof value === 'number') return fixedFeed(toUnits(value, digits));
  if ('series' in value) {
    return seriesFeed(
      value.series.map(({ at, value: point }) => ({
        atMs: instantOf(at),
        value: toUnits(point, digits),
      })),
    );
  }
  const { start, every, step, min, max } = value.walk;
  return walkFeed({
    seed: options.seed,
    startMs: options.startMs,
    start: toUnits(start, digits),
    everyMs: parseDuration(every) ?? 0,
    stepPpm: Math.round(step * 1_000_000),
    min: toUnits(min ?? start / 4, digits),
    max: toUnits(max ?? start * 4, digits),
  });
}

/** Where a world's rates and prices come from. A series file's columns win over the single sources. */
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
  const feed = (column: SeriesColumn, source: ValueSource, digits: number): Feed => {
    const points = series[column];
    return points === undefined
      ? feedOf(source, { digits, seed: `${seed}/${column}`, startMs })
      : seriesFeed(points);
  };
  return {
    apy: { USDC: feed('usdc_apy', sources.usdcApy, 6), SOL: feed('sol_apy', sources.solApy, 6) },
    price: { USDC: feed('usdc_usd', sources.usdcUsd, 8), SOL: feed('sol_usd', sources.solUsd, 8) },
  };
}
