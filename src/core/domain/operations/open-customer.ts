import { draft } from '../entry.js';
import type { Decision } from '../decision.js';

/** Opens an account for a wallet that has signed in for the first time. */
export function openCustomer(input: { wallet: string; collectionAddress: string }): Decision<void> {
  return {
    draft: draft(input.wallet, { kind: 'customer.opened', collectionAddress: input.collectionAddress }, []),
    view: () => undefined,
  };
}
