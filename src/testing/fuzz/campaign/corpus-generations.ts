import { type CorpusEntry, type SentEntry, received } from './corpus.js';
import { NumberedTriples } from './coverage.js';
import { type Part, weighed } from './parts.js';

/** The corpus of a number of generations. */
export interface GenerationCorpus {
  readonly entries: readonly CorpusEntry[];
  /** The number of a triple that it reaches; undefined for one that it does not. */
  readonly numberOf: (triple: string) => number | undefined;
  /** The parts of the campaign, weighed by what they found in the last of the generations. */
  readonly parts: readonly Part[];
}

/** A corpus that grows by generations, and how it was after each. */
export class CorpusGenerations {
  readonly #entries: CorpusEntry[] = [];
  readonly #triples = new NumberedTriples();
  readonly #parts: readonly Part[];
  /** Number of entries and triples after the beginning, and after each generation, and what the parts weigh then. */
  readonly #ends: { readonly entries: number; readonly triples: number; readonly parts: readonly Part[] }[] =
    [];

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

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
    this.#ends.push({
      entries: this.#entries.length,
      triples: this.#triples.keys.length,
      parts: weighed(this.#parts, this.#playedBy(this.#ends.length), entries),
    });
  }

  at(generations: number): GenerationCorpus {
    const { entries, triples, parts } = this.#ends[generations] ?? {
      entries: 0,
      triples: 0,
      parts: this.#parts,
    };
    return {
      parts,
      entries: this.#entries.slice(0, entries),
      numberOf: (triple) => this.#triples.among(triple, triples),
    };
  }

  /** The parts as they weighed for the chunks whose finds are this generation: `Chunks.corpusOf` says what these had. */
  #playedBy(generation: number): readonly Part[] {
    return this.#ends[Math.max(0, generation - 2)]?.parts ?? this.#parts;
  }
}
