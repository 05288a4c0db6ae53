import { type EntryDraft, draft } from '../entry.js';

/** Records the accounts that a human operator linked to the wallet. */
export function linkIdentity({
  wallet,
  x,
  github,
}: {
  wallet: string;
  x: boolean;
  github: boolean;
}): EntryDraft {
  return draft(wallet, { kind: 'identity.linked', x, github }, []);
}
