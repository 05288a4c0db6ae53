import fc from 'fast-check';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** The finalizer of MurmurHash3: neighbouring seeds give unrelated numbers. */
function scattered(seed: number): number {
  let hash = seed | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** Number of discarded draws, because the generator's first numbers correlate with its seed. */
const WARM_UP = 8;

/** Fractional weights are rounded to multiples of 1 / this number. */
const FINE = 10_000;

/** Draws from fast-check arbitraries. Equal seeds give equal draws. */
export class Random {
  readonly #random: fc.Random;

  constructor(seed: number) {
    this.#random = new fc.Random(xoroshiro128plus(scattered(seed)));
    for (let drawn = 0; drawn < WARM_UP; drawn += 1) this.#random.nextInt();
  }

  draw<T>(arbitrary: fc.Arbitrary<T>): T {
    return arbitrary.generate(this.#random, undefined).value;
  }

  /** A whole number, at least 0 and below `bound`. */
  below(bound: number): number {
    return bound <= 1 ? 0 : this.#random.nextInt(0, bound - 1);
  }

  /** True with a probability of `percent`. */
  chance(percent: number): boolean {
    return this.#random.nextInt(0, 99_999) < percent * 1_000;
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError('cannot pick from an empty list');
    return list[this.below(list.length)] as T;
  }

  /** Draws an item of a list with probability proportional to its weight. Throws RangeError when all weights are 0. */
  weighed<T extends { readonly weight: number }>(list: readonly T[]): T {
    const total = list.reduce((sum, { weight }) => sum + weight, 0);
    // Whole weights are drawn as whole numbers: the published figures of studies rest on these draws.
    const isWhole = list.every(({ weight }) => Number.isInteger(weight));
    let rest = isWhole ? this.below(total) : this.below(Math.round(total * FINE)) / FINE;
    for (const each of list) {
      if (rest < each.weight) return each;
      rest -= each.weight;
    }
    throw new RangeError('all weights are 0');
  }
}
