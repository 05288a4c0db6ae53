import { type EntryDraft, draft } from '../entry.js';

/** Opens an account for a wallet that has signed in for the first time. */
export function openCustomer({
  wallet,
  collectionAddress,
}: {
  wallet: string;
  collectionAddress: string;
}): EntryDraft {
  return draft(wallet, { kind: 'customer.opened', collectionAddress }, []);
}
