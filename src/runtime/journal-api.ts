import type { Books } from '../bank/books.js';
import {
  ACCOUNTS,
  ACCOUNT_NAMES,
  type AccountName,
  OWNED_ACCOUNTS,
  type OwnedAccount,
} from '../core/domain/entry.js';
import { JOURNAL_FORMATS, type JournalFormat, exportJournal } from './inspection/journal-export.js';
import { type EntryPage, type EntryView, balanced, entryView, matches } from './inspection/journal-pages.js';
import { JournalIndex } from './inspection/journal-index.js';
import { MOST_LOOKED_AT, PAGE_ROWS, cursorNumber, lowerBound } from './inspection/page.js';
import { type EntryQuery, checkQuery, entryQuery } from './inspection/queries.js';
import { isoOf } from '../core/domain/calendar.js';
import { instantOf } from '../world/sources.js';
import { type PerToken, TOKENS, amountOf } from '../core/domain/money.js';
import type { Clock } from '../world/clock.js';

/** Balances by account and token, in token units, positive on the account's normal side: savings and loans are both positive. */
export type TokenAmounts<A extends string> = Readonly<Record<A, PerToken<number>>>;

function inUnits<A extends AccountName>(
  balances: Readonly<Record<A, PerToken<bigint>>>,
  accounts: readonly A[],
): TokenAmounts<A> {
  return Object.fromEntries(
    accounts.map((account) => {
      // Raw balances are debits minus credits: negate balances of liabilities, income and equity.
      const sign = ACCOUNTS[account].side === 'debit' ? 1n : -1n;
      const units = TOKENS.map((token) => [
        token,
        amountOf(token, sign * balances[account][token]).toNumber(),
      ]);
      return [account, Object.fromEntries(units)];
    }),
  ) as TokenAmounts<A>;
}

/** The bank's current books, for callers in this process. */
export class JournalApi {
  readonly #books: Books;
  readonly #clock: Clock;
  /** @internal Finds entries for other readers. */
  readonly index: JournalIndex;

  constructor(books: Books, clock: Clock) {
    this.#books = books;
    this.#clock = clock;
    this.index = new JournalIndex(books);
  }

  /** A page of entries, newest first by default. Throws RangeError for a bad query. */
  page(query: EntryQuery = {}): EntryPage {
    checkQuery(query, entryQuery);
    const { cursor, limit = PAGE_ROWS, order = 'newest', from, to, wallet, kind, account } = query;
    const size = this.index.refresh();
    const span = this.index.span(
      from === undefined ? -Infinity : instantOf(from),
      to === undefined ? Infinity : instantOf(to),
    );
    const step = order === 'newest' ? -1 : 1;
    const candidates = this.index.shortest({ wallet, kind, account });
    const start = cursor === undefined ? (step < 0 ? size : 1) : cursorNumber(cursor, size) + step;
    const begin = step < 0 ? Math.min(start, span.last) : Math.max(start, span.first);
    // The position of an entry among the candidates; without candidates its number is its position.
    let at =
      candidates === null ? begin : lowerBound(candidates, step < 0 ? begin + 1 : begin) + Math.min(step, 0);
    const entries: EntryView[] = [];
    for (let looked = 0; looked < MOST_LOOKED_AT; looked += 1, at += step) {
      const seq = candidates === null ? at : candidates[at];
      if (seq === undefined || seq < Math.max(span.first, 1) || seq > span.last)
        return { entries, next: null, size };
      const entry = this.#books.entryAt(seq);
      if (matches(this.#books.state, entry, query)) entries.push(entryView(this.#books.state, entry));
      if (entries.length === limit)
        return { entries, next: hasMore(seq, step, span) ? `${seq}` : null, size };
    }
    const seq = candidates === null ? at - step : (candidates[at - step] as number);
    return { entries, next: `${seq}`, size };
  }

  /** The trial balance at an instant, after an entry, or now. Throws RangeError for an instant or an entry in the future. */
  trialBalance({
    at,
    entry,
  }: { readonly at?: string | undefined; readonly entry?: number | undefined } = {}) {
    const size = this.index.refresh();
    const nowMs = this.#clock.nowMs();
    const atMs = at === undefined ? nowMs : instantOf(at);
    if (atMs > nowMs) throw new RangeError(`at: ${isoOf(atMs)} is in the future; it is ${isoOf(nowMs)}`);
    if (entry !== undefined && entry > size)
      throw new RangeError(`entry: there are ${size} entries, and none with the number ${entry}`);
    const isAtInstant = entry === undefined && at !== undefined;
    const counted = isAtInstant ? this.index.entriesAt(atMs) : { until: entry ?? size, between: [] };
    const instant = entry === undefined || entry === 0 ? atMs : this.#books.entryAt(entry).atMs;
    return {
      /** The number of the last entry that counts; 0 before the first. */
      entry: counted.between.at(-1)?.seq ?? counted.until,
      at: isoOf(instant),
      ...balanced(this.index.totalsOf(counted)),
    };
  }

  /** Writes the whole journal as CSV or Parquet with a row for each posting, or as a text that hledger reads. Rejects with RangeError for another format, and for amounts that Parquet cannot hold. */
  async export(format: JournalFormat): Promise<Uint8Array> {
    if (!JOURNAL_FORMATS.includes(format))
      throw new RangeError(`format: ${format} is none of ${JOURNAL_FORMATS.join(', ')}`);
    return exportJournal(this.#books, format);
  }

  entries(): number {
    return this.#books.state.seq;
  }

  /** The balance of every account of the journal, summed over all owners. */
  totals(): TokenAmounts<AccountName> {
    return inUnits(this.#books.state.totals, ACCOUNT_NAMES);
  }

  /** The accounts of one wallet; null when it is not a customer. */
  of(wallet: string): TokenAmounts<OwnedAccount> | null {
    const agent = this.#books.state.agents.get(wallet);
    return agent === undefined ? null : inUnits(agent.balances, OWNED_ACCOUNTS);
  }
}

/**
 * The balances of all accounts after an entry; debits and credits are equal for each token.
 * @interface
 */
export type TrialBalance = Readonly<ReturnType<JournalApi['trialBalance']>>;

/** Whether a page after this entry, in the direction of `step`, may have more. */
function hasMore(seq: number, step: number, { first, last }: { first: number; last: number }): boolean {
  return step < 0 ? seq > Math.max(first, 1) : seq < last;
}
