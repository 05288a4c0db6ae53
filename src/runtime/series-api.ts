import { isoOf } from '../core/domain/calendar.js';
import { ACCOUNTS, ACCOUNT_NAMES, type AccountName } from '../core/domain/entry.js';
import { Amount, TOKENS, type Token, tokenUnits } from '../core/domain/money.js';
import { VALUE_DIGITS, type ValueKind } from '../world/oracle.js';
import { instantOf } from '../world/sources.js';
import type { JournalIndex } from './inspection/journal-index.js';
import {
  type BalanceSeriesQuery,
  type RequestSeriesQuery,
  type SeriesSpan,
  balanceSeriesQuery,
  checkQuery,
  requestSeriesQuery,
  seriesSpan,
} from './inspection/queries.js';
import type { WorldParts } from './world-parts.js';

/** Values at evenly spaced instants. */
export interface Series<T> {
  readonly at: readonly string[];
  readonly series: readonly (T & { readonly values: readonly number[] })[];
}

/**
 * Requests in the spans that end with each instant. A call counts as refused when its response is an error, except for
 * an expired token, which clients renew.
 * @interface
 */
export type RequestSeries = Readonly<ReturnType<SeriesApi['requests']>>;

const POINTS = 200;

type BalancesAt = (atMs: number) => (account: AccountName, token: Token) => bigint;

interface Parts extends Pick<WorldParts, 'bank' | 'oracle' | 'clock' | 'events'> {
  readonly index: JournalIndex;
}

/** Figures over time, for charts: computed from journal, oracle and event log on demand. */
export class SeriesApi {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Balances of all accounts that ever moved, or of one account, token or customer; positive on the account's normal side. */
  balances(which: BalanceSeriesQuery = {}): Series<{ readonly account: AccountName; readonly token: Token }> {
    checkQuery(which, balanceSeriesQuery);
    const { index } = this.#parts;
    index.refresh();
    const instants = this.#instants(which);
    const at = instants.map(isoOf);
    const rows = ACCOUNT_NAMES.filter((account) => (which.account ?? account) === account).flatMap(
      (account) =>
        TOKENS.filter((token) => (which.token ?? token) === token).map((token) => ({
          account,
          token,
          values: [] as number[],
        })),
    );
    const balanceAt = which.wallet === undefined ? totalsAt(index) : this.#ownAt(which.wallet);
    for (const atMs of instants) {
      const balance = balanceAt(atMs);
      for (const { account, token, values } of rows) {
        const sign = ACCOUNTS[account].side === 'debit' ? 1n : -1n;
        values.push(tokenUnits(token, sign * balance(account, token)));
      }
    }
    return { at, series: rows.filter(({ values }) => values.some((value) => value !== 0)) };
  }

  /** Savings rates as fractions, and prices in USD, as they were in effect. */
  rates(span: SeriesSpan = {}): Series<{ readonly kind: ValueKind; readonly token: Token }> {
    checkQuery(span, seriesSpan);
    const { oracle } = this.#parts;
    const instants = this.#instants(span);
    const series = (['apy', 'usd'] as const).flatMap((kind) =>
      TOKENS.map((token) => {
        const timeline = oracle.timeline(kind, token);
        const valueAt = (atMs: number) =>
          new Amount(timeline.at(Math.max(atMs, timeline.startMs)), VALUE_DIGITS[kind]);
        return { kind, token, values: instants.map((atMs) => valueAt(atMs).toNumber()) };
      }),
    );
    return { at: instants.map(isoOf), series };
  }

  /** Calls and refused calls to the API, from the events that the log has in memory. */
  requests(which: RequestSeriesQuery = {}) {
    checkQuery(which, requestSeriesQuery);
    const { events } = this.#parts;
    const instants = this.#instants(which);
    const [requests, refused] = [instants.map(() => 0), instants.map(() => 0)];
    const [startMs = 0] = instants;
    const stepMs = Math.max(1, ((instants.at(-1) ?? 0) - startMs) / Math.max(1, instants.length - 1));
    for (let seq = events.oldest; seq <= events.last; seq += 1) {
      const body = events.bodyAt(seq);
      if (body?.kind !== 'request' || body.interface !== 'api') continue;
      if (which.wallet !== undefined && body.wallet !== which.wallet) continue;
      const at = Math.ceil(((events.at(seq)?.atMs ?? 0) - startMs) / stepMs);
      if (at < 0 || at >= instants.length) continue;
      requests[at] = (requests[at] ?? 0) + 1;
      if (body.code !== null && body.code !== 'token_expired') refused[at] = (refused[at] ?? 0) + 1;
    }
    return {
      at: instants.map(isoOf),
      requests,
      refused,
      /** The instant from which the log has all events; earlier counts are too low. */
      knownFrom: isoOf(events.at(events.oldest)?.atMs ?? startMs),
    };
  }

  /** The balances of a customer at an instant; call it with ascending instants. */
  #ownAt(wallet: string): BalancesAt {
    const { index, bank } = this.#parts;
    const own = (index.shortest({ wallet }) ?? [])
      .map((seq) => bank.books.entryAt(seq))
      .toSorted((a, b) => a.atMs - b.atMs);
    const sums = new Map<string, bigint>();
    let read = 0;
    return (untilMs) => {
      for (let next = own[read]; next !== undefined && next.atMs <= untilMs; next = own[read]) {
        read += 1;
        for (const { account, owner, token, amountBase } of next.postings) {
          const key = `${account}/${token}`;
          if (owner === wallet) sums.set(key, (sums.get(key) ?? 0n) + amountBase);
        }
      }
      return (account, token) => sums.get(`${account}/${token}`) ?? 0n;
    };
  }

  #instants({ from, to, points = POINTS }: SeriesSpan): number[] {
    const { clock, bank } = this.#parts;
    const nowMs = clock.nowMs();
    const startMs = bank.books.state.seq === 0 ? nowMs : bank.books.entryAt(1).atMs;
    const fromMs = from === undefined ? startMs : instantOf(from);
    const toMs = Math.min(to === undefined ? nowMs : instantOf(to), nowMs);
    if (fromMs > toMs)
      throw new RangeError(
        `from: the span is empty: it begins at ${isoOf(fromMs)} to ${isoOf(toMs)}, and it is ${isoOf(nowMs)}`,
      );
    const count = Math.min(points, toMs - fromMs + 1);
    return Array.from({ length: count }, (_, at) =>
      count === 1 ? toMs : Math.round(fromMs + ((toMs - fromMs) * at) / (count - 1)),
    );
  }
}

/** The balances of all owners at an instant; call it with ascending instants. */
function totalsAt(index: JournalIndex): BalancesAt {
  let last: { count: number; totals: ReturnType<JournalIndex['totalsOf']> } | null = null;
  return (atMs) => {
    const entries = index.entriesAt(atMs);
    // A later instant has the same entries, and perhaps more.
    const count = entries.until + entries.between.length;
    last = last?.count === count ? last : { count, totals: index.totalsOf(entries) };
    const { totals } = last;
    return (account, token) => totals[account][token];
  };
}
