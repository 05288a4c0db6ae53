import type { Account, Engine } from './engine.js';
import { SYSVAR_OWNER, SYSVARS, bytesOf } from './solana/addresses.js';
import { SLOTS_PER_EPOCH } from './slots.js';
import { rentExemptLamports } from './solana/token-accounts.js';

/** Epochs of equal length from the first on: engines begin with short ones. Source: EpochSchedule of the Solana SDK. */
function epochScheduleAccount(): Account {
  const data = new Uint8Array(33);
  const view = new DataView(data.buffer);
  view.setBigUint64(0, BigInt(SLOTS_PER_EPOCH), true);
  view.setBigUint64(8, BigInt(SLOTS_PER_EPOCH), true); // how far ahead leaders are known
  return { lamports: rentExemptLamports(data.length), data, owner: SYSVAR_OWNER, executable: false };
}

/** Slots with a block that the sysvar holds. Source: Solana's MAX_ENTRIES of SlotHashes. */
export const SLOT_HASHES = 512;
// Source: Solana's size of an entry, and the sysvar's rent at genesis.
const ENTRY_BYTES = 40;
const SLOT_HASHES_LAMPORTS = 143_487_360n;

/** A slot with a block, and the block's hash, base58. */
interface SlotHash {
  readonly slot: number;
  readonly hash: string;
}

/** The sysvar with the hashes of the last slots, newest first: at most 512. */
function slotHashesAccount(hashes: readonly SlotHash[]): Account {
  const data = new Uint8Array(8 + SLOT_HASHES * ENTRY_BYTES);
  const view = new DataView(data.buffer);
  view.setBigUint64(0, BigInt(hashes.length), true);
  for (const [at, { slot, hash }] of hashes.entries()) {
    view.setBigUint64(8 + at * ENTRY_BYTES, BigInt(slot), true);
    data.set(bytesOf(hash), 16 + at * ENTRY_BYTES);
  }
  return { lamports: SLOT_HASHES_LAMPORTS, data, owner: SYSVAR_OWNER, executable: false };
}

/** Keeps an engine's sysvars in step with the chain's time and slots, skipping redundant updates. */
export class Sysvars {
  readonly #engine: Engine;
  #seconds: number | null = null;
  #slot: number | null = null;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.begin();
  }

  /** Writes what differs from an engine's own sysvars: at the start, and when the engine continues with another machine. */
  begin(): void {
    this.#engine.setAccount(SYSVARS.epochSchedule, epochScheduleAccount());
    this.forget();
  }

  /** Updates the clock when the second has changed, or when the slot has changed and must be exact. */
  bringClock(now: { readonly ms: number; readonly slot: number; readonly isSlotExact: boolean }): void {
    const seconds = Math.floor(now.ms / 1_000);
    const isShown = seconds === this.#seconds && (now.slot === this.#slot || !now.isSlotExact);
    if (isShown) return;
    this.#engine.setClock({
      slot: BigInt(now.slot),
      epoch: BigInt(Math.floor(now.slot / SLOTS_PER_EPOCH)),
      unixTimestamp: BigInt(seconds),
    });
    this.#seconds = seconds;
    this.#slot = now.slot;
  }

  /** Writes the hashes of the last slots with a block, newest first. */
  bringSlotHashes(now: { readonly ms: number; readonly slot: number }, hashes: readonly SlotHash[]): void {
    this.#engine.setAccount(SYSVARS.slotHashes, slotHashesAccount(hashes));
    // Engines reload all sysvars when the clock is set.
    this.forget();
    this.bringClock({ ...now, isSlotExact: true });
  }

  /** Discards the cached values, since the engine's state was replaced. */
  forget(): void {
    this.#seconds = null;
    this.#slot = null;
  }
}
