import { type EntryDraft, type Posting, credit, debit, draft } from '../entry.js';
import { type PerToken, TOKENS } from '../money.js';

/** The change that an external transaction made at one address of the bank, in base units. */
export interface ObservedChange {
  /** The customer whose collection address it is; null for the treasury. */
  readonly owner: string | null;
  readonly change: PerToken<bigint>;
}

/**
 * The entry for a transaction that the bank did not send: incoming tokens are a liability until recorded; outgoing ones, moved with
 * the bank's own keys, are the bank's loss. Null when nothing changed.
 */
export function observeChain(signature: string, changes: readonly ObservedChange[]): EntryDraft | null {
  const postings = postingsOf(changes);
  return postings.length === 0 ? null : draft(null, { kind: 'chain.arrived', signature }, postings);
}

/** The entry for the holdings of a customer's collection address before the bank watched it. Null when it was empty. */
export function openCollection(wallet: string, held: PerToken<bigint>): EntryDraft | null {
  const postings = postingsOf([{ owner: wallet, change: held }]);
  return postings.length === 0 ? null : draft(null, { kind: 'collection.opened' }, postings);
}

function postingsOf(changes: readonly ObservedChange[]): Posting[] {
  const postings: Posting[] = [];
  for (const { owner, change } of changes) {
    for (const token of TOKENS) {
      const amount = change[token];
      const asset = owner === null ? 'treasury' : 'collection';
      if (amount > 0n) {
        postings.push(debit(asset, owner, token, amount));
        postings.push(credit(owner === null ? 'unclaimed' : 'uncollected', owner, token, amount));
      } else if (amount < 0n) {
        postings.push(credit(asset, owner, token, -amount), debit('capital', null, token, -amount));
      }
    }
  }
  return postings;
}
