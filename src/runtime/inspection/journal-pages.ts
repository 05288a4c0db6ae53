import type { Books } from '../../bank/books.js';
import { isoOf } from '../../core/domain/calendar.js';
import {
  ACCOUNTS,
  ACCOUNT_NAMES,
  type AccountName,
  type Entry,
  type Facts,
} from '../../core/domain/entry.js';
import { TOKENS, type PerToken, type Token, tokenUnits } from '../../core/domain/money.js';
import type { Balances, Outflow } from '../../core/domain/state.js';
import type { Clock } from '../../world/clock.js';
import { instantOf } from '../../world/sources.js';
import { type EntryJson, entryJson } from '../events/event.js';
import { JournalIndex } from './journal-index.js';
import { statusOf } from './entry-status.js';
import { MOST_LOOKED_AT, PAGE_ROWS, cursorNumber, lowerBound } from './page.js';

/** All kinds of entries; the compiler lists those that are missing. */
const KINDS: Readonly<Record<Facts['kind'], true>> = {
  'bank.opened': true,
  'customer.opened': true,
  'identity.linked': true,
  'chain.arrived': true,
  'collection.opened': true,
  deposit: true,
  'savings.deposit': true,
  'savings.withdraw': true,
  'savings.settled': true,
  'collection.swept': true,
  'collateral.borrow': true,
  'collateral.repay': true,
  'collateral.liquidated': true,
  'outflow.pending': true,
  'outflow.posted': true,
  'outflow.voided': true,
  'fees.paid': true,
  'x402.received': true,
  'loan.applied': true,
  'loan.approved': true,
  'loan.denied': true,
  'loan.called': true,
  'loan.overdue': true,
  'loan.charged': true,
  'loan.defaulted': true,
  'loan.set_off': true,
  'loan.cured': true,
  'loan.repaid': true,
};
export const ENTRY_KINDS = Object.keys(KINDS) as readonly Facts['kind'][];

/** An entry of an outflow has the outflow's current status; all other entries are completed. */
export const ENTRY_STATUSES = [
  'pending',
  'completed',
  'failed',
] as const satisfies readonly Outflow['status'][];

/** A filter on entries, and the page to return. */
export interface EntryQuery {
  /** The entry's customer, or the owner of one of its postings. */
  readonly wallet?: string | undefined;
  readonly kind?: Facts['kind'] | undefined;
  /** Entries with a posting to this account; with `token`, of this token. */
  readonly account?: AccountName | undefined;
  readonly token?: Token | undefined;
  readonly status?: Outflow['status'] | undefined;
  /** ISO 8601; both are inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly order?: 'newest' | 'oldest' | undefined;
  /** `next` of the previous page. */
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

/** An entry with its postings, amounts in token units. */
export interface EntryView extends EntryJson {
  readonly at: string;
  readonly kind: Facts['kind'];
  readonly status: Outflow['status'];
}

export interface EntryPage {
  readonly entries: readonly EntryView[];
  /** The `cursor` of the next page; null at the end. A short or empty page can have a next one. */
  readonly next: string | null;
  readonly size: number;
}

/** The balances of all accounts after an entry; debits and credits are equal for each token. */
export interface TrialBalance {
  /** The number of the last entry that counts; 0 before the first. */
  readonly entry: number;
  readonly at: string;
  readonly accounts: readonly {
    readonly account: AccountName;
    readonly token: Token;
    readonly debit: number;
    readonly credit: number;
  }[];
  readonly debits: PerToken<number>;
  readonly credits: PerToken<number>;
}

/** Reads the journal by page and filter, and its balances at past instants. */
export class JournalPages {
  readonly #books: Books;
  readonly #clock: Clock;
  readonly index: JournalIndex;

  constructor(books: Books, clock: Clock) {
    this.#books = books;
    this.#clock = clock;
    this.index = new JournalIndex(books);
  }

  /** A page of entries, newest first by default. Throws RangeError for a bad cursor or instant. */
  page(query: EntryQuery): EntryPage {
    const { cursor, limit = PAGE_ROWS, order = 'newest', from, to } = query;
    const size = this.index.refresh();
    const span = this.index.span(
      from === undefined ? -Infinity : instantOf(from),
      to === undefined ? Infinity : instantOf(to),
    );
    const step = order === 'newest' ? -1 : 1;
    const candidates = this.index.shortest({
      wallet: query.wallet,
      kind: query.kind,
      account: query.account,
    });
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
      if (this.#matches(entry, query)) entries.push(this.#view(entry));
      if (entries.length === limit)
        return { entries, next: this.#hasMore(seq, step, span) ? `${seq}` : null, size };
    }
    const seq = candidates === null ? at - step : (candidates[at - step] as number);
    return { entries, next: `${seq}`, size };
  }

  /** One entry. Throws RangeError for an unknown number. */
  entry(seq: number): EntryView {
    return this.#view(this.#books.entryAt(seq));
  }

  /** The trial balance at an instant, after an entry, or now. Throws RangeError for an instant or an entry in the future. */
  trialBalance({ at, entry }: { at?: string | undefined; entry?: number | undefined }): TrialBalance {
    const size = this.index.refresh();
    const nowMs = this.#clock.nowMs();
    const atMs = at === undefined ? nowMs : instantOf(at);
    if (atMs > nowMs) throw new RangeError(`at: ${isoOf(atMs)} is in the future; it is ${isoOf(nowMs)}`);
    if (entry !== undefined && entry > size)
      throw new RangeError(`entry: there are ${size} entries, and none with the number ${entry}`);
    const seq = entry ?? (at === undefined ? size : this.index.lastAt(atMs));
    const instant = entry === undefined || entry === 0 ? atMs : this.#books.entryAt(entry).atMs;
    return { entry: seq, at: isoOf(instant), ...balanced(this.index.totalsAfter(seq)) };
  }

  #hasMore(seq: number, step: number, { first, last }: { first: number; last: number }): boolean {
    return step < 0 ? seq > Math.max(first, 1) : seq < last;
  }

  #view(entry: Entry): EntryView {
    const { atMs, facts } = entry;
    return {
      ...entryJson(entry),
      at: isoOf(atMs),
      kind: facts.kind,
      status: statusOf(this.#books.state, entry),
    };
  }

  #matches(entry: Entry, { wallet, kind, account, token, status, from, to }: EntryQuery): boolean {
    const { atMs, facts, postings } = entry;
    if (kind !== undefined && facts.kind !== kind) return false;
    if (from !== undefined && atMs < instantOf(from)) return false;
    if (to !== undefined && atMs > instantOf(to)) return false;
    if (wallet !== undefined && entry.wallet !== wallet && postings.every(({ owner }) => owner !== wallet))
      return false;
    if (status !== undefined && statusOf(this.#books.state, entry) !== status) return false;
    if (account === undefined && token === undefined) return true;
    return postings.some(
      (posting) =>
        (account ?? posting.account) === posting.account && (token ?? posting.token) === posting.token,
    );
  }
}

function balanced(totals: Balances<AccountName>): Pick<TrialBalance, 'accounts' | 'debits' | 'credits'> {
  const sums = { debits: { USDC: 0n, SOL: 0n }, credits: { USDC: 0n, SOL: 0n } };
  const accounts = ACCOUNT_NAMES.flatMap((account) =>
    TOKENS.map((token) => {
      const base = totals[account][token];
      const isDebit = base === 0n ? ACCOUNTS[account].side === 'debit' : base > 0n;
      sums[isDebit ? 'debits' : 'credits'][token] += isDebit ? base : -base;
      const amount = tokenUnits(token, isDebit ? base : -base);
      return { account, token, debit: isDebit ? amount : 0, credit: isDebit ? 0 : amount };
    }),
  );
  const units = (of: PerToken<bigint>) => ({
    USDC: tokenUnits('USDC', of.USDC),
    SOL: tokenUnits('SOL', of.SOL),
  });
  return { accounts, debits: units(sums.debits), credits: units(sums.credits) };
}
