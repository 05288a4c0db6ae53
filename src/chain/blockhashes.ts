import { createHash } from 'node:crypto';
import { rememberAddress } from './addresses.js';

/** A blockhash is valid for the 150 slots after its own. Source: Solana's MAX_PROCESSING_AGE. */
export const BLOCKHASH_LIFETIME_SLOTS = 150;

const MOST_KNOWN = 4_096;

/**
 * The blockhashes of a chain, each a function of the seed and its slot, so that nothing needs to be stored and restoring a snapshot
 * invalidates the later ones.
 */
export class Blockhashes {
  readonly #seed: string;
  /** Known ones, in both directions; enough for several sysvars with the hashes of 512 slots. */
  readonly #hashes = new Map<number, string>();
  readonly #slots = new Map<string, number>();

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** The blockhash of a slot, base58. */
  at(slot: number): string {
    const known = this.#hashes.get(slot);
    if (known !== undefined) return known;
    const hash = rememberAddress(createHash('sha256').update(`${this.#seed}/blockhash/${slot}`).digest());
    if (this.#hashes.size >= MOST_KNOWN) {
      this.#hashes.clear();
      this.#slots.clear();
    }
    this.#hashes.set(slot, hash);
    this.#slots.set(hash, slot);
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
