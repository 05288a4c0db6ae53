import { createHash } from 'node:crypto';
import { bytesOf, rememberAddress } from './addresses.js';

/** A blockhash is valid for the 150 slots after its own. Source: Solana's MAX_PROCESSING_AGE. */
export const BLOCKHASH_LIFETIME_SLOTS = 150;

const MOST_KNOWN = 4_096;

/** The reverts before which a blockhash may have been issued and still be used. */
const REVERTS_BACK = 16;

/** Where a blockhash belongs: its slot, and how many reverts came before it was issued. */
interface Place {
  readonly slot: number;
  readonly reverts: number;
}

/**
 * The blockhashes of a chain, each a function of the seed, its slot and the number of reverts, so that nothing needs to be stored. Clients
 * keep blockhashes, and never sign an equal transaction with one twice. So the latest one after a revert is new, and those issued before it
 * remain valid, also those of slots that the revert has undone.
 */
export class Blockhashes {
  readonly #seed: string;
  /** Known ones, in both directions; enough for several sysvars with the hashes of 512 slots. */
  readonly #hashes = new Map<string, string>();
  readonly #places = new Map<string, Place>();
  #reverts = 0;
  #isIssued = false;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** The blockhash of a slot, base58. */
  at(slot: number): string {
    return this.#hashOf({ slot, reverts: 0 });
  }

  /** The blockhash that a client is given in a slot, base58: that of the slot until the first revert, then another after each. */
  issue(slot: number): string {
    this.#isIssued = true;
    return this.#hashOf({ slot, reverts: this.#reverts });
  }

  /** Makes the next issued blockhash new, if any was issued. Call when the chain is restored. */
  reverted(): void {
    if (this.#isIssued) this.#reverts += 1;
    this.#isIssued = false;
  }

  /** Whether a transaction with this blockhash may run at `slot`. */
  isRecent(blockhash: string, slot: number): boolean {
    return this.slotOf(blockhash, slot) !== null;
  }

  /** The slot of a blockhash with which a transaction may run at `slot`; null for any other. Later than `slot` if a revert has undone it. */
  slotOf(blockhash: string, slot: number): number | null {
    const oldest = Math.max(0, slot - BLOCKHASH_LIFETIME_SLOTS);
    const newest = this.#reverts === 0 ? slot : slot + BLOCKHASH_LIFETIME_SLOTS;
    const firstRevert = Math.max(1, this.#reverts - REVERTS_BACK);
    const known = this.#places.get(blockhash);
    if (known !== undefined) {
      const isRecent = known.slot >= oldest && known.slot <= newest;
      return isRecent && (known.reverts === 0 || known.reverts >= firstRevert) ? known.slot : null;
    }
    const wanted = Buffer.from(bytesOf(blockhash));
    for (let candidate = newest; candidate >= oldest; candidate -= 1) {
      if (this.#digest({ slot: candidate, reverts: 0 }).equals(wanted)) return candidate;
      for (let reverts = firstRevert; reverts <= this.#reverts; reverts += 1)
        if (this.#digest({ slot: candidate, reverts }).equals(wanted)) return candidate;
    }
    return null;
  }

  #digest(place: Place): Buffer {
    return createHash('sha256').update(this.#preimage(place)).digest();
  }

  #preimage({ slot, reverts }: Place): string {
    const slotText = `${this.#seed}/blockhash/${slot}`;
    return reverts === 0 ? slotText : `${slotText}/${reverts}`;
  }

  #hashOf(place: Place): string {
    const preimage = this.#preimage(place);
    const known = this.#hashes.get(preimage);
    if (known !== undefined) return known;
    const hash = rememberAddress(this.#digest(place));
    if (this.#hashes.size >= MOST_KNOWN) {
      this.#hashes.clear();
      this.#places.clear();
    }
    this.#hashes.set(preimage, hash);
    this.#places.set(hash, place);
    return hash;
  }
}
