import { createHash } from 'node:crypto';
import { addressOf, bytesOf } from './solana/addresses.js';

/** A blockhash is valid for the next 150 blocks. Source: Solana's MAX_PROCESSING_AGE. */
export const BLOCKHASH_LIFETIME_BLOCKS = 150;

const MOST_KNOWN = 4_096;

/** The number of reverts after which an issued blockhash can still be used. */
const REVERTS_BACK = 16;

/** The origin of a blockhash: the height of its block, and the number of reverts before it was issued. */
interface Place {
  readonly height: number;
  readonly reverts: number;
}

/**
 * The blockhashes of a chain, each a function of the seed, the height of its block and the number of reverts, so that
 * nothing needs to be stored. Clients cache blockhashes, and never sign equal transactions with the same one. So a
 * revert changes the latest blockhash; earlier ones remain valid, even of undone blocks.
 */
export class Blockhashes {
  readonly #seed: string;
  /** The origins of blockhashes in use, a cache; large enough for several sysvars with the hashes of 512 blocks. */
  readonly #places = new Map<string, Place>();
  #reverts = 0;
  #isIssued = false;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** The blockhash of the block with a height, base58. */
  at(height: number): string {
    return this.#hashOf({ height, reverts: 0 });
  }

  /** The blockhash of a block that clients get, base58: the block's own until the first revert, a new one after each. */
  issue(height: number): string {
    this.#isIssued = true;
    return this.#hashOf({ height, reverts: this.#reverts });
  }

  get reverts(): number {
    return this.#reverts;
  }

  /** Makes the next issued blockhash new, if any was issued. Call when the chain is restored; `before` are the reverts of the snapshot's chain. */
  reverted(before: number): void {
    this.#reverts = Math.max(this.#reverts + (this.#isIssued ? 1 : 0), before);
    this.#isIssued = false;
  }

  /** Whether a transaction with this blockhash may run at `height`. */
  isRecent(blockhash: string, height: number): boolean {
    return this.heightOf(blockhash, height) !== null;
  }

  /** The height of a usable blockhash at `height`; null for others. Greater than `height` if a revert undid its block. */
  heightOf(blockhash: string, height: number): number | null {
    const oldest = Math.max(0, height - BLOCKHASH_LIFETIME_BLOCKS);
    const newest = this.#reverts === 0 ? height : height + BLOCKHASH_LIFETIME_BLOCKS;
    const firstRevert = Math.max(1, this.#reverts - REVERTS_BACK);
    const known = this.#places.get(blockhash);
    if (known !== undefined) {
      const isRecent = known.height >= oldest && known.height <= newest;
      return isRecent && (known.reverts === 0 || known.reverts >= firstRevert) ? known.height : null;
    }
    const wanted = Buffer.from(bytesOf(blockhash));
    for (let candidate = newest; candidate >= oldest; candidate -= 1) {
      if (this.#digest({ height: candidate, reverts: 0 }).equals(wanted)) return candidate;
      for (let reverts = firstRevert; reverts <= this.#reverts; reverts += 1)
        if (this.#digest({ height: candidate, reverts }).equals(wanted)) return candidate;
    }
    return null;
  }

  #digest({ height, reverts }: Place): Buffer {
    const ofBlock = `${this.#seed}/blockhash/${height}`;
    const preimage = reverts === 0 ? ofBlock : `${ofBlock}/${reverts}`;
    return createHash('sha256').update(preimage).digest();
  }

  #hashOf(place: Place): string {
    const hash = addressOf(this.#digest(place));
    if (this.#places.size >= MOST_KNOWN) this.#places.clear();
    this.#places.set(hash, place);
    return hash;
  }
}
