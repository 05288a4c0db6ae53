import { isoOf } from '../core/domain/calendar.js';
import { isObject } from '../core/json.js';
import { Amount, type Token } from '../core/domain/money.js';
import type { Clock } from '../world/clock.js';
import { type FeedPoint, seriesFeed } from '../world/feed.js';
import { type Oracle, VALUE_DIGITS, type ValueKind } from '../world/oracle.js';
import { SERIES, SERIES_COLUMNS, type SeriesColumn } from '../world/series-csv.js';
import {
  NO_SOURCE,
  type SeriesByColumn,
  type ValueSource,
  feedOf,
  firstInstantOf,
  instantOf,
  seriesPoints,
} from '../world/sources.js';
import { checkInput, flag, tokenName } from './inspection/queries.js';
import { jumpTarget } from './jump-target.js';

/** A Date, ISO 8601 with a time zone, or milliseconds since 1970. */
export type Instant = Date | string | number;

/** When a source takes effect; now by default. */
export interface ChangeStart {
  readonly from?: Instant | undefined;
  /** Alternatively the delay from now: a duration such as `30d`. */
  readonly in?: string | undefined;
}

function msOf(at: Instant): number {
  return instantOf(at instanceof Date ? at.getTime() : at);
}

/** Rates and prices in human units. */
export class OracleApi {
  readonly #oracle: Oracle;
  readonly #clock: Clock;
  readonly #seed: string;

  constructor(oracle: Oracle, clock: Clock, seed: string) {
    this.#oracle = oracle;
    this.#clock = clock;
    this.#seed = seed;
  }

  /**
   * Sets the APY of a token's savings (0.017 is 1.7 %) from now or from an instant on, and discards all changes planned
   * for later. The current source applies until that instant, or until the first point of a series. Throws RangeError
   * for an instant in the past and an invalid source.
   */
  setApy(token: Token, source: ValueSource, options: ChangeStart = {}): void {
    this.#follow('apy', token, source, options);
  }

  /** Sets a token's price in USD from now or from an instant on; see `setApy`. */
  setPrice(token: Token, source: ValueSource, options: ChangeStart = {}): void {
    this.#follow('usd', token, source, options);
  }

  /**
   * Follows a series file, as text or as JSON by column, from now or from an instant on: each value from its first
   * point in the file on. Columns missing from the series stay unchanged. Throws RangeError naming what is wrong with
   * the file.
   */
  load(series: string | SeriesByColumn, options: ChangeStart = {}): void {
    if (typeof series !== 'string') checkInput(series, {}, SERIES_COLUMNS, 'column');
    checkInput(options, {}, ['from', 'in']);
    const { fromMs, nowMs } = this.#beginning(options);
    const columns = Object.entries(seriesPoints(series)) as [SeriesColumn, FeedPoint[]][];
    for (const [column, points] of columns) {
      const { kind, token } = SERIES[column];
      const firstMs = Math.min(...points.map(({ atMs }) => atMs));
      this.#oracle.follow(kind, token, seriesFeed(points), { fromMs: Math.max(fromMs, firstMs), nowMs });
    }
  }

  /** During an outage no rates are served and nothing has a price; savings go on earning at the set rates. */
  setOutage(out: boolean): void {
    checkInput({ out }, { out: flag });
    this.#oracle.setOut(out);
  }

  isOut(): boolean {
    return this.#oracle.isOut();
  }

  /**
   * While the data is stale, every value is frozen. Savings keep earning at the frozen rate; prices are valid
   * until they are older than the option `oracle.maxAge`.
   */
  setStale(stale: boolean): void {
    checkInput({ stale }, { stale: flag });
    this.#oracle.setStale(stale, this.#clock.nowMs());
  }

  isStale(): boolean {
    return this.#oracle.staleSinceMs() !== null;
  }

  /** The instant of the values: now, unless they are stale. */
  asOf(): Date {
    return new Date(this.#oracle.staleSinceMs() ?? this.#clock.nowMs());
  }

  apy(token: Token): number {
    checkInput({ token }, { token: tokenName });
    return new Amount(this.#oracle.apyPpm(token, this.#clock.nowMs()), VALUE_DIGITS.apy).toNumber();
  }

  price(token: Token): number {
    checkInput({ token }, { token: tokenName });
    return new Amount(this.#oracle.priceE8(token, this.#clock.nowMs()), VALUE_DIGITS.usd).toNumber();
  }

  /** Sources that take effect later, soonest first. */
  planned(): { at: string; kind: ValueKind; token: Token }[] {
    return this.#oracle
      .plannedAfter(this.#clock.nowMs())
      .map(({ atMs, kind, token }) => ({ at: isoOf(atMs), kind, token }));
  }

  #follow(kind: ValueKind, token: Token, source: ValueSource, options: ChangeStart): void {
    checkInput({ ...options, token, source }, { token: tokenName }, ['source', 'from', 'in']);
    if (typeof source !== 'number' && !isObject(source)) throw new RangeError(NO_SOURCE);
    const { fromMs: wantedMs, nowMs } = this.#beginning(options);
    const fromMs = Math.max(wantedMs, firstInstantOf(source) ?? wantedMs);
    const seed = `${this.#seed}/${kind}/${token}/${fromMs}`;
    const feed = feedOf(source, { digits: VALUE_DIGITS[kind], seed, startMs: fromMs });
    this.#oracle.follow(kind, token, feed, { fromMs, nowMs });
  }

  #beginning({ from, in: delay }: ChangeStart): { fromMs: number; nowMs: number } {
    const nowMs = this.#clock.nowMs();
    if (from !== undefined && delay !== undefined) throw new RangeError('pass from or in, not both');
    const fromMs = delay !== undefined ? jumpTarget(delay, nowMs) : from === undefined ? nowMs : msOf(from);
    if (fromMs < nowMs) {
      throw new RangeError(
        `from: ${isoOf(fromMs)} has passed, it is ${isoOf(nowMs)}; the past cannot change. Leave it out for now, or pass a delay from now: in, such as 30d.`,
      );
    }
    return { fromMs, nowMs };
  }
}
