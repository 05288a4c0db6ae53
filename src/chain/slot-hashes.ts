import { SYSVAR_OWNER, bytesOf } from './solana/addresses.js';
import type { Account } from './engine.js';

/** Slots with a block that the sysvar holds. Source: Solana's MAX_ENTRIES of SlotHashes. */
export const SLOT_HASHES = 512;
// Source: Solana's size of an entry, and the sysvar's rent at genesis.
const ENTRY_BYTES = 40;
const LAMPORTS = 143_487_360n;

/** A slot with a block, and the block's hash, base58. */
export interface SlotHash {
  readonly slot: number;
  readonly hash: string;
}

/** The sysvar with the hashes of the last slots, newest first: at most 512. */
export function slotHashesAccount(hashes: readonly SlotHash[]): Account {
  const data = new Uint8Array(8 + SLOT_HASHES * ENTRY_BYTES);
  const view = new DataView(data.buffer);
  view.setBigUint64(0, BigInt(hashes.length), true);
  for (const [at, { slot, hash }] of hashes.entries()) {
    view.setBigUint64(8 + at * ENTRY_BYTES, BigInt(slot), true);
    data.set(bytesOf(hash), 16 + at * ENTRY_BYTES);
  }
  return {
    lamports: LAMPORTS,
    data,
    owner: SYSVAR_OWNER,
    executable: false,
  };
}
