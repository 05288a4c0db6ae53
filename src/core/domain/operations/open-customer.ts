import { type EntryDraft, draft } from '../entry.js';
import type { Agent } from '../state.js';

/** Opens an account for a wallet that has signed in for the first time. */
export function openCustomer({
  wallet,
  collectionAddress,
}: Pick<Agent, 'wallet' | 'collectionAddress'>): EntryDraft {
  return draft(wallet, { kind: 'customer.opened', collectionAddress }, []);
}
