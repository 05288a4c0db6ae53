/** Milliseconds of a slot. Source: Solana's DEFAULT_MS_PER_SLOT. */
export const SLOT_MS = 400;

/** Slots of an epoch, without the short ones that a new cluster begins with. Source: Solana's DEFAULT_SLOTS_PER_EPOCH. */
export const SLOTS_PER_EPOCH = 432_000;

/** How sure a reader wants to be that what is read will not be undone. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** So many slots after its own a transaction is confirmed and finalized. */
export interface ConfirmationDepths {
  readonly confirmed: number;
  readonly finalized: number;
}

/** The last slot that has a commitment, when `slot` is the current one. */
export function slotAt(slot: number, commitment: Commitment, depths: ConfirmationDepths): number {
  return commitment === 'processed' ? slot : Math.max(0, slot - depths[commitment]);
}
