/** A small seeded source of chance (mulberry32), good enough to draw calls. */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1. */
  share(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let bits = this.#state;
    bits = Math.imul(bits ^ (bits >>> 15), bits | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(share: number): boolean {
    return this.share() < share;
  }

  /** A whole number from 0 to below a bound. */
  below(bound: number): number {
    return Math.floor(this.share() * bound);
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('nothing to pick from');
    return items[this.below(items.length)] as T;
  }

  /** One of several by weight. */
  weighted<T>(items: readonly (readonly [number, T])[]): T {
    let at = this.share() * items.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of items) {
      at -= weight;
      if (at < 0) return item;
    }
    throw new RangeError('nothing to pick from');
  }
}
