import { type EntryDraft, type Posting, credit, debit, draft, networkCost } from '../entry.js';
import type { Outflow, State } from '../state.js';

/** The actual on-chain effect of an outflow's transaction. Base units; lamports. */
export interface OutflowSettlement {
  readonly signature: string;
  /** Lamports that the treasury paid in addition to the amount: the fee, and rent for a created token account. */
  readonly costLamports: bigint;
  /** Whether the opening balance of the collection address that it went to already includes it. */
  readonly isInOpening: boolean;
}

/** The entry that settles a transfer executed on chain. */
export function postOutflow(state: State, outflow: Outflow, settlement: OutflowSettlement): EntryDraft {
  const { wallet } = outflow;
  const { token, amountBase } = outflow.terms;
  // Tokens sent to a customer's collection address stay on the bank's books, as a liability to that customer.
  const owner = settlement.isInOpening ? null : (state.collections.get(outflow.terms.payTo) ?? null);
  const arrival: Posting[] =
    owner === null
      ? []
      : [debit('collection', owner, token, amountBase), credit('uncollected', owner, token, amountBase)];
  return draft(
    wallet,
    { kind: 'outflow.posted', outflow: outflow.id, signature: settlement.signature, recipient: owner },
    [
      debit('pending', wallet, token, amountBase),
      credit('treasury', null, token, amountBase),
      ...arrival,
      ...networkCost(settlement.costLamports),
    ],
  );
}

/** The entry that returns a reserved amount because the transfer was not executed on chain. */
export function voidOutflow(outflow: Outflow, reason: string, costLamports: bigint): EntryDraft {
  const { wallet } = outflow;
  const { token, amountBase } = outflow.terms;
  return draft(wallet, { kind: 'outflow.voided', outflow: outflow.id, reason }, [
    debit('pending', wallet, token, amountBase),
    credit('checking', wallet, token, amountBase),
    ...networkCost(costLamports),
  ]);
}
