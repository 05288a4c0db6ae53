import { createHash } from 'node:crypto';
import { rememberAddress } from './addresses.js';

/** A blockhash is valid for the 150 slots after its own. Source: Solana's MAX_PROCESSING_AGE. */
export const BLOCKHASH_LIFETIME_SLOTS = 150;

/**
 * The blockhashes of a chain, each a function of the seed and its slot, so that nothing needs to be stored and restoring a snapshot
 * invalidates the later ones.
 */
export class Blockhashes {
  readonly #seed: string;
  readonly #slots = new Map<string, number>();
  #last = { slot: -1, hash: '' };

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** The blockhash of a slot, base58. */
  at(slot: number): string {
    if (this.#last.slot === slot) return this.#last.hash;
    const hash = rememberAddress(createHash('sha256').update(`${this.#seed}/blockhash/${slot}`).digest());
    if (this.#slots.size > 4 * BLOCKHASH_LIFETIME_SLOTS) this.#slots.clear();
    this.#slots.set(hash, slot);
    this.#last = { slot, hash };
    return hash;
  }

  /** Whether a transaction with this blockhash may run at `slot`. */
  isRecent(blockhash: string, slot: number): boolean {
    const known = this.#slots.get(blockhash);
    if (known !== undefined) return known <= slot && slot - known <= BLOCKHASH_LIFETIME_SLOTS;
    const oldest = Math.max(0, slot - BLOCKHASH_LIFETIME_SLOTS);
    for (let candidate = slot; candidate >= oldest; candidate -= 1) {
      if (this.at(candidate) === blockhash) return true;
    }
    return false;
  }
}
