import { type CorpusEntry, type SentEntry, received } from './corpus.js';
import { NumberedTriples } from './coverage.js';

/** The corpus of a number of generations. */
export interface GenerationCorpus {
  readonly entries: readonly CorpusEntry[];
  /** The number of a triple that it reaches; undefined for one that it does not. */
  readonly numberOf: (triple: string) => number | undefined;
}

/** A corpus that grows by generations, and how it was after each. */
export class CorpusGenerations {
  readonly #entries: CorpusEntry[] = [];
  readonly #triples = new NumberedTriples();
  /** Number of entries and triples after the beginning, and after each generation. */
  readonly #ends: { readonly entries: number; readonly triples: number }[] = [];

  /** Number of generations that are there; -1 without the beginning. */
  get count(): number {
    return this.#ends.length - 1;
  }

  /** Adds the sequences at the beginning, then those that each generation has found. */
  add(entries: readonly SentEntry[]): void {
    for (const entry of entries) {
      this.#entries.push(received(entry));
      this.#triples.add(entry.reached);
    }
    this.#ends.push({ entries: this.#entries.length, triples: this.#triples.keys.length });
  }

  at(generations: number): GenerationCorpus {
    const { entries, triples } = this.#ends[generations] ?? { entries: 0, triples: 0 };
    return {
      entries: this.#entries.slice(0, entries),
      numberOf: (triple) => this.#triples.among(triple, triples),
    };
  }
}
