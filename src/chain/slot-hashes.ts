import { SYSVAR_OWNER, bytesOf } from './addresses.js';
import type { Account } from './engine.js';

// Source: Solana's MAX_ENTRIES of SlotHashes, its size, and its rent at genesis.
const ENTRIES = 512;
const ENTRY_BYTES = 40;
const LAMPORTS = 143_487_360n;

/** The sysvar with the hashes of the last 512 slots up to and including `slot`, newest first. */
export function slotHashesAccount(slot: number, hashOf: (slot: number) => string): Account {
  const count = Math.min(ENTRIES, slot + 1);
  const data = new Uint8Array(8 + ENTRIES * ENTRY_BYTES);
  const view = new DataView(data.buffer);
  view.setBigUint64(0, BigInt(count), true);
  for (let at = 0; at < count; at += 1) {
    view.setBigUint64(8 + at * ENTRY_BYTES, BigInt(slot - at), true);
    data.set(bytesOf(hashOf(slot - at)), 16 + at * ENTRY_BYTES);
  }
  return {
    lamports: LAMPORTS,
    data,
    owner: SYSVAR_OWNER,
    executable: false,
  };
}
