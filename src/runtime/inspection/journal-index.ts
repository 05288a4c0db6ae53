import type { Books } from '../../bank/books.js';
import { ACCOUNT_NAMES, type AccountName, type Entry } from '../../core/domain/entry.js';
import type { Token } from '../../core/domain/money.js';
import type { Balances } from '../../core/domain/state.js';
import { lowerBound } from './page.js';

/** Balances are stored once per this many entries; balances in between are summed up from the last stored ones. */
const STRIDE = 512;

type Totals = Record<AccountName, Record<Token, bigint>>;

/** The entries up to an instant: the first `until`, and those `between` later entries. */
export interface EntriesAt {
  readonly until: number;
  readonly between: readonly Entry[];
}

function copyOf(totals: Balances<AccountName>): Totals {
  return Object.fromEntries(ACCOUNT_NAMES.map((name) => [name, { ...totals[name] }])) as Totals;
}

function noTotals(): Totals {
  return Object.fromEntries(ACCOUNT_NAMES.map((name) => [name, { USDC: 0n, SOL: 0n }])) as Totals;
}

function add(totals: Totals, { postings }: Entry): void {
  for (const { account, token, amountBase } of postings) totals[account][token] += amountBase;
}

/**
 * Finds entries by wallet, kind, account and time, and balances of the past. It is built on first use, grows with the
 * journal, and is rebuilt after the journal was replaced, as by a revert. It is not part of the world.
 */
export class JournalIndex {
  readonly #books: Pick<Books, 'entryAt' | 'snapshot'>;
  #size = 0;
  #last: Entry | null = null;
  #lists = new Map<string, number[]>();
  #totals: Totals = noTotals();
  /** The balances after every `STRIDE` entries. */
  #stored: Totals[] = [];
  /** For each entry, the latest instant up to it and the earliest from it on: entries can be out of order. */
  #latestMs: number[] = [];
  #earliestMs: number[] = [];

  constructor(books: Pick<Books, 'entryAt' | 'snapshot'>) {
    this.#books = books;
  }

  /** Brings the index up to date; returns the number of entries. */
  refresh(): number {
    const { entries } = this.#books.snapshot();
    const { size } = entries;
    const isSame = this.#size === 0 || entries.get(this.#size - 1) === this.#last;
    if (!isSame) this.#clear();
    for (let seq = this.#size + 1; seq <= size; seq += 1) this.#add(this.#books.entryAt(seq));
    return size;
  }

  /** The entry numbers in the shortest list among the keys, ascending; null without a key, for all entries. */
  shortest(keys: { wallet?: string | undefined; kind?: string | undefined; account?: string | undefined }) {
    let shortest: readonly number[] | null = null;
    for (const [name, value] of Object.entries(keys)) {
      if (value === undefined) continue;
      const list = this.#lists.get(`${name}:${value}`) ?? [];
      if (shortest === null || list.length < shortest.length) shortest = list;
    }
    return shortest;
  }

  /** The numbers of the first and the last entry that may lie in a span; the last is smaller if the span is empty. */
  span(fromMs: number, toMs: number): { readonly first: number; readonly last: number } {
    return { first: lowerBound(this.#latestMs, fromMs) + 1, last: this.lastAt(toMs) };
  }

  /** The number of the last entry up to an instant; 0 without an entry. */
  lastAt(atMs: number): number {
    return lowerBound(this.#earliestMs, atMs + 1);
  }

  /** The entries up to an instant. While the clock runs, what fell due is booked later, between entries of later instants. */
  entriesAt(atMs: number): EntriesAt {
    const until = lowerBound(this.#latestMs, atMs + 1);
    const between: Entry[] = [];
    for (let seq = until + 1; seq <= this.lastAt(atMs); seq += 1) {
      const entry = this.#books.entryAt(seq);
      if (entry.atMs <= atMs) between.push(entry);
    }
    return { until, between };
  }

  /** The balances after these entries, in base units, debit positive. */
  totalsOf({ until, between }: EntriesAt): Balances<AccountName> {
    const block = Math.floor(until / STRIDE);
    const totals = block === 0 ? noTotals() : copyOf(this.#stored[block - 1] as Totals);
    for (let at = block * STRIDE + 1; at <= until; at += 1) add(totals, this.#books.entryAt(at));
    for (const entry of between) add(totals, entry);
    return totals;
  }

  #clear(): void {
    this.#size = 0;
    this.#last = null;
    this.#lists = new Map();
    this.#totals = noTotals();
    this.#stored = [];
    this.#latestMs = [];
    this.#earliestMs = [];
  }

  #add(entry: Entry): void {
    const { seq, atMs, wallet, facts, postings } = entry;
    const keys = new Set([`kind:${facts.kind}`]);
    if (wallet !== null) keys.add(`wallet:${wallet}`);
    for (const { account, owner } of postings) {
      keys.add(`account:${account}`);
      if (owner !== null) keys.add(`wallet:${owner}`);
    }
    for (const key of keys) {
      const list = this.#lists.get(key);
      if (list === undefined) this.#lists.set(key, [seq]);
      else list.push(seq);
    }
    this.#latestMs.push(Math.max(atMs, this.#latestMs.at(-1) ?? atMs));
    const earliest = this.#earliestMs;
    earliest.push(atMs);
    for (let at = earliest.length - 2; at >= 0 && (earliest[at] as number) > atMs; at -= 1)
      earliest[at] = atMs;
    add(this.#totals, entry);
    if (seq % STRIDE === 0) this.#stored.push(copyOf(this.#totals));
    this.#size = seq;
    this.#last = entry;
  }
}
