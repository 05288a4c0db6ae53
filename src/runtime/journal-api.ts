import type { Books } from '../bank/books.js';
import {
  ACCOUNTS,
  ACCOUNT_NAMES,
  type AccountName,
  OWNED_ACCOUNTS,
  type OwnedAccount,
} from '../core/domain/entry.js';
import { type PerToken, TOKENS, amountOf } from '../core/domain/money.js';

/** Balances by account and token, in token units, positive on the account's normal side: savings and loans are both positive. */
export type TokenAmounts<A extends string> = Readonly<Record<A, PerToken<number>>>;

function inUnits<A extends AccountName>(
  balances: Readonly<Record<A, PerToken<bigint>>>,
  accounts: readonly A[],
): TokenAmounts<A> {
  return Object.fromEntries(
    accounts.map((account) => {
      // Raw balances are debits minus credits: negate those of liabilities, income and equity.
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

  constructor(books: Books) {
    this.#books = books;
  }

  /** The number of entries. */
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
