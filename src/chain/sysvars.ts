import type { Blockhashes } from './blockhashes.js';
import type { Engine } from './engine.js';
import { SLOT_HASHES, slotHashesAccount } from './slot-hashes.js';
import { SLOTS_PER_EPOCH } from './slots.js';

/** Shows an engine's programs the time and the slots of the chain. An engine that was told once is not told again. */
export class Sysvars {
  readonly #engine: Engine;
  readonly #blockhashes: Blockhashes;
  #seconds: number | null = null;
  #slot: number | null = null;

  constructor(engine: Engine, blockhashes: Blockhashes) {
    this.#engine = engine;
    this.#blockhashes = blockhashes;
  }

  /** The second is always told; the slot with it, or when it must be exact. */
  bringClock(now: { readonly ms: number; readonly slot: number; readonly isSlotExact: boolean }): void {
    const seconds = Math.floor(now.ms / 1_000);
    const isShown = seconds === this.#seconds && (now.slot === this.#slot || !now.isSlotExact);
    if (isShown || !this.#engine.capabilities.setClock) return;
    this.#engine.setClock({
      slot: BigInt(now.slot),
      epoch: BigInt(Math.floor(now.slot / SLOTS_PER_EPOCH)),
      unixTimestamp: BigInt(seconds),
    });
    this.#seconds = seconds;
    this.#slot = now.slot;
  }

  /** The hashes of the slots before, without which no lookup table can be made. */
  bringSlotHashes(now: { readonly ms: number; readonly slot: number }): void {
    const hashes = slotHashesAccount(now.slot, (slot) => this.#blockhashes.at(slot));
    this.#engine.setAccount(SLOT_HASHES, hashes);
    // Engines read all sysvars anew when the clock is set.
    this.forget();
    this.bringClock({ ...now, isSlotExact: true });
  }

  /** The engine holds another world now. */
  forget(): void {
    this.#seconds = null;
    this.#slot = null;
  }
}
