/** Milliseconds of a slot. Source: Solana's DEFAULT_MS_PER_SLOT. */
export const SLOT_MS = 400;

/** Slots per epoch, ignoring the short warm-up epochs of a new cluster. Source: Solana's DEFAULT_SLOTS_PER_EPOCH. */
export const SLOTS_PER_EPOCH = 432_000;

/** The level of certainty that a read will not be rolled back. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** How many slots after its own a transaction is confirmed and finalized. */
export interface ConfirmationDepths {
  readonly confirmed: number;
  readonly finalized: number;
}

/** The last slot that has reached a commitment when `slot` is the current one. */
export function slotAt(slot: number, commitment: Commitment, depths: ConfirmationDepths): number {
  return commitment === 'processed' ? slot : Math.max(0, slot - depths[commitment]);
}
