import { type EntryDraft, type Posting, credit, debit, draft } from '../entry.js';
import type { Outflow, State } from '../state.js';

/** What the transaction of an outflow really did on chain. Base units; lamports. */
export interface OutflowSettlement {
  readonly signature: string;
  /** What the treasury paid in lamports besides the amount: fee, and rent of a token account that had to be made. */
  readonly costLamports: bigint;
}

/** The entry that settles a transfer which the chain carried out. */
export function postOutflow(state: State, outflow: Outflow, settlement: OutflowSettlement): EntryDraft {
  const { wallet } = outflow;
  const { token, amountBase } = outflow.terms;
  // Tokens that went to a customer's collection address are still on the bank's books, owed to that customer.
  const owner = state.collections.get(outflow.terms.payTo) ?? null;
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
      debit('network_fees', null, 'SOL', settlement.costLamports),
      credit('treasury', null, 'SOL', settlement.costLamports),
    ],
  );
}

/** The entry that gives a reserved amount back, because the chain did not carry out the transfer. */
export function voidOutflow(outflow: Outflow, reason: string, costLamports: bigint): EntryDraft {
  const { wallet } = outflow;
  const { token, amountBase } = outflow.terms;
  return draft(wallet, { kind: 'outflow.voided', outflow: outflow.id, reason }, [
    debit('pending', wallet, token, amountBase),
    credit('checking', wallet, token, amountBase),
    debit('network_fees', null, 'SOL', costLamports),
    credit('treasury', null, 'SOL', costLamports),
  ]);
}
