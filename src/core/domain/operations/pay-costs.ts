import { type EntryDraft, credit, debit, draft, networkCost } from '../entry.js';
import { type PerToken, TOKENS } from '../money.js';

/**
 * The entry for a transaction that cost the treasury lamports and paid no customer. `given` are lamports that it left
 * at a customer's collection address: they remain the bank's and are not a liability.
 */
export function payCosts(
  signature: string,
  costLamports: bigint,
  given: { wallet: string; lamports: bigint } | null = null,
): EntryDraft {
  const kept = given === null ? [] : [debit('collection', given.wallet, 'SOL', given.lamports)];
  return draft(null, { kind: 'fees.paid', signature }, [
    ...kept,
    debit('network_fees', null, 'SOL', costLamports),
    credit('treasury', null, 'SOL', costLamports + (given?.lamports ?? 0n)),
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
    ...networkCost(swept.costLamports),
  ]);
}
