import { type EntryDraft, draft } from '../entry.js';

/** Whether a human operator has linked an account of X and one of GitHub to a wallet. */
export interface Identity {
  readonly wallet: string;
  readonly x: boolean;
  readonly github: boolean;
}

/** Records the accounts that a human operator linked to the wallet. */
export function linkIdentity({ wallet, x, github }: Identity): EntryDraft {
  return draft(wallet, { kind: 'identity.linked', x, github }, []);
}
