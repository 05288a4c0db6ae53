import { isoOf } from '../../core/domain/calendar.js';
import { ACCOUNTS, ACCOUNT_NAMES, type AccountName, type Entry } from '../../core/domain/entry.js';
import { TOKENS, type PerToken, tokenUnits } from '../../core/domain/money.js';
import type { Balances, State } from '../../core/domain/state.js';
import { instantOf } from '../../world/sources.js';
import { entryJson } from '../events/event.js';
import { statusOf } from './entry-status.js';
import type { EntryQuery } from './queries.js';

/**
 * An entry with its postings, amounts in token units.
 * @interface
 */
export type EntryView = Readonly<ReturnType<typeof entryView>>;

export interface EntryPage {
  readonly entries: readonly EntryView[];
  /** The `cursor` of the next page; null at the end. A short or empty page can have a next one. */
  readonly next: string | null;
  readonly size: number;
}

/** An entry with its current status in these books. */
export function entryView(state: State, entry: Entry) {
  const { atMs, facts } = entry;
  return { ...entryJson(entry), at: isoOf(atMs), kind: facts.kind, status: statusOf(state, entry) };
}

/** Whether an entry matches the filter of a query. */
export function matches(
  state: State,
  entry: Entry,
  { wallet, kind, account, token, status, from, to }: EntryQuery,
): boolean {
  const { atMs, facts, postings } = entry;
  if (kind !== undefined && facts.kind !== kind) return false;
  if (from !== undefined && atMs < instantOf(from)) return false;
  if (to !== undefined && atMs > instantOf(to)) return false;
  if (wallet !== undefined && entry.wallet !== wallet && postings.every(({ owner }) => owner !== wallet))
    return false;
  if (status !== undefined && statusOf(state, entry) !== status) return false;
  if (account === undefined && token === undefined) return true;
  return postings.some(
    (posting) =>
      (account ?? posting.account) === posting.account && (token ?? posting.token) === posting.token,
  );
}

/** The balances as debits and credits, with their sums. */
export function balanced(totals: Balances<AccountName>) {
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
