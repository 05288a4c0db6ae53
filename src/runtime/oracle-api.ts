import { z } from 'zod';
import { isoOf } from '../core/domain/calendar.js';
import { defined, isObject } from '../core/json.js';
import { Amount, TOKENS, type Token } from '../core/domain/money.js';
import type { Clock } from '../world/clock.js';
import { type FeedPoint, seriesFeed } from '../world/feed.js';
import { type Oracle, VALUE_DIGITS, type ValueKind } from '../world/oracle.js';
import { SERIES, SERIES_COLUMNS, type SeriesColumn, writeSeriesCsv } from '../world/series-csv.js';
import {
  NO_SOURCE,
  type PriceSource,
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

/** A span of the past; defaults to the whole history of the world. */
export interface HistorySpan {
  readonly from?: Instant | undefined;
  readonly to?: Instant | undefined;
  /** The page size in instants, 1 to 10,000; 1,000 by default. */
  readonly limit?: number | undefined;
}

const HISTORY = { token: tokenName, kind: z.enum(['apy', 'usd']) };
const SPAN = ['from', 'to', 'limit'];
const HISTORY_LIMIT = 1_000;
const HISTORY_MAX = 10_000;

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
  setPrice(token: Token, source: PriceSource, options: ChangeStart = {}): void {
    // Untyped callers can still pass one.
    if (isObject(source) && 'curve' in source)
      throw new RangeError('a curve gives rates, not prices; use a number, a series or a walk');
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

  /**
   * The effective values from any source: the rates that savings earned and the prices that the bank used, including
   * outages and stale data. Throws RangeError for a span before the world's start or a limit out of bounds.
   */
  history(token: Token, kind: ValueKind, span: HistorySpan = {}) {
    checkInput({ ...span, token, kind }, HISTORY, SPAN);
    const { fromMs, toMs, limit } = this.#span(span);
    const { points, nextMs } = this.#oracle.timeline(kind, token).changes(fromMs, toMs, limit);
    return {
      token,
      kind,
      from: isoOf(fromMs),
      to: isoOf(toMs),
      /** The value at `from`, then each change, oldest first. */
      changes: points.map(({ atMs, value }) => ({
        at: isoOf(atMs),
        value: new Amount(value, VALUE_DIGITS[kind]).toNumber(),
      })),
      /** The `from` of the next page; null on the last page. */
      next: nextMs === null ? null : isoOf(nextMs),
    };
  }

  /** `history` of several values as a series file, exact to the last digit, for `load` and the option `oracle.csv`. */
  historyCsv(which: { token?: Token | undefined; kind?: ValueKind | undefined } & HistorySpan = {}): {
    csv: string;
    next: string | null;
  } {
    checkInput(defined(which), HISTORY, SPAN);
    const { fromMs, toMs, limit } = this.#span(which);
    const pages = (Object.entries(SERIES) as [SeriesColumn, (typeof SERIES)[SeriesColumn]][])
      .filter(([, { token }]) => token === (which.token ?? token))
      .filter(([, { kind }]) => kind === (which.kind ?? kind))
      .map(
        ([column, { kind, token }]) =>
          [column, this.#oracle.timeline(kind, token).changes(fromMs, toMs, limit)] as const,
      );
    const ends = pages.flatMap(([, { nextMs }]) => (nextMs === null ? [] : [nextMs]));
    const nextMs = ends.length === 0 ? null : Math.min(...ends);
    const series = pages.map(
      ([column, { points }]) =>
        [column, points.filter(({ atMs }) => nextMs === null || atMs < nextMs)] as const,
    );
    return {
      csv: writeSeriesCsv(Object.fromEntries(series)),
      next: nextMs === null ? null : isoOf(nextMs),
    };
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

  #span(span: HistorySpan): { fromMs: number; toMs: number; limit: number } {
    const nowMs = this.#clock.nowMs();
    const startMs = Math.min(...TOKENS.map((token) => this.#oracle.timeline('apy', token).startMs));
    const limit = span.limit ?? HISTORY_LIMIT;
    if (!Number.isInteger(limit) || limit < 1 || limit > HISTORY_MAX)
      throw new RangeError(`limit: from 1 to ${HISTORY_MAX}, not ${limit}`);
    const fromMs = Math.max(startMs, span.from === undefined ? startMs : msOf(span.from));
    const toMs = Math.min(nowMs, span.to === undefined ? nowMs : msOf(span.to));
    if (fromMs > toMs) {
      throw new RangeError(
        `there is no history from ${isoOf(fromMs)} to ${isoOf(toMs)}: the world began at ${isoOf(startMs)}, and it is ${isoOf(nowMs)}`,
      );
    }
    return { fromMs, toMs, limit };
  }
}

/**
 * A value over a span of the past.
 * @interface
 */
export type ValueHistory = Readonly<ReturnType<OracleApi['history']>>;

/**
 * A past value and the instant it took effect.
 * @interface
 */
export type PastValue = Readonly<ValueHistory['changes'][number]>;
