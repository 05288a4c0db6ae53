import { type CorpusEntry, packed } from './corpus.js';

/** A corpus that grows by generations, and how it was after each. */
export class CorpusGenerations {
  readonly #entries: CorpusEntry[] = [];
  /** Number of entries after the beginning, and after each generation. */
  readonly #ends: number[] = [];
  /** Each triple that the corpus reaches, and since which of these. */
  readonly #reached = new Map<string, number>();

  /** Number of generations that are there; -1 without the beginning. */
  get count(): number {
    return this.#ends.length - 1;
  }

  /** Adds the sequences at the beginning, then those that each generation has found. */
  add(entries: readonly CorpusEntry[]): void {
    for (const entry of entries) {
      this.#entries.push(packed(entry));
      for (const key of entry.reached) if (!this.#reached.has(key)) this.#reached.set(key, this.#ends.length);
    }
    this.#ends.push(this.#entries.length);
  }

  /** The corpus of so many generations, and what it does not reach. */
  at(generations: number): { entries: readonly CorpusEntry[]; isNew: (key: string) => boolean } {
    return {
      entries: this.#entries.slice(0, this.#ends[generations] ?? 0),
      isNew: (key) => (this.#reached.get(key) ?? Number.POSITIVE_INFINITY) > generations,
    };
  }
}
