import { type EntryDraft, credit, debit, draft } from '../entry.js';
import { type PerToken, TOKENS } from '../money.js';

/** The entry for a transaction whose only effect was a cost in lamports to the treasury. */
export function payCosts(signature: string, costLamports: bigint): EntryDraft {
  return draft(null, { kind: 'fees.paid', signature }, [
    debit('network_fees', null, 'SOL', costLamports),
    credit('treasury', null, 'SOL', costLamports),
  ]);
}

/** The entry for tokens swept from a customer's collection address into the treasury; liabilities are unchanged. */
export function sweepCollection(
  wallet: string,
  swept: { signature: string; moved: PerToken<bigint>; costLamports: bigint },
): EntryDraft {
  return draft(null, { kind: 'collection.swept', signature: swept.signature }, [
    ...TOKENS.flatMap((token) => [
      debit('treasury', null, token, swept.moved[token]),
      credit('collection', wallet, token, swept.moved[token]),
    ]),
    debit('network_fees', null, 'SOL', swept.costLamports),
    credit('treasury', null, 'SOL', swept.costLamports),
  ]);
}
