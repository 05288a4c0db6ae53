import type { Books } from '../bank/books.js';
import {
  ACCOUNTS,
  ACCOUNT_NAMES,
  type AccountName,
  OWNED_ACCOUNTS,
  type OwnedAccount,
} from '../core/domain/entry.js';
import { type JournalFormat, exportJournal } from './inspection/journal-export.js';
import {
  type EntryPage,
  type EntryQuery,
  JournalPages,
  type TrialBalance,
} from './inspection/journal-pages.js';
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
  /** @internal Finds entries for other readers. */
  readonly pages: JournalPages;

  constructor(books: Books, clock: Clock) {
    this.#books = books;
    this.pages = new JournalPages(books, clock);
  }

  /** A page of entries, newest first by default. Throws RangeError for a bad cursor or instant. */
  page(query: EntryQuery = {}): EntryPage {
    return this.pages.page(query);
  }

  /** The trial balance at an instant, after an entry, or now. Throws RangeError for an instant or an entry in the future. */
  trialBalance(
    at: { readonly at?: string | undefined; readonly entry?: number | undefined } = {},
  ): TrialBalance {
    return this.pages.trialBalance(at);
  }

  /** Writes the whole journal as CSV or Parquet with a row for each posting, or as a text that hledger reads. */
  async export(format: JournalFormat): Promise<Uint8Array> {
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
