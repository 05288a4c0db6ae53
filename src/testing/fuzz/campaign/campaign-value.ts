import type { WorldOptions } from '../world.js';

/** What a campaign plays, as plain JSON. Equal values give equal results, whoever computes them. */
export interface CampaignValue {
  readonly property: string;
  readonly seed: number;
  /** Number of sequences; null for as many as the time allows. */
  readonly runs: number | null;
  /** Maximum steps per sequence. */
  readonly steps: number;
  /** 1 to 8. */
  readonly agents: number;
  readonly world: WorldOptions;
  /** Each chunk is played in a world with limits that are drawn for it. */
  readonly variesLimits?: true;
  /** Draw only these commands; empty for all. */
  readonly only: readonly string[];
  /** Relative frequency by command. */
  readonly weights: Readonly<Record<string, number>>;
  /** Which share of the runs to play: `index` of `count`, from 0. */
  readonly share: { readonly index: number; readonly count: number };
  /** Kinds of failures that are no findings, in full or by their beginnings. */
  readonly ignored: readonly string[];
  /** Maximum sequences to play while shrinking a finding. */
  readonly shrinkAttempts: number;
  /** Real milliseconds after which a finding is kept as far as it is shrunk. */
  readonly shrinkTimeMs: number;
}

/** Maximum steps of a chunk, which is about a quarter of a second's work: short enough to be shared out and to be lost. */
const CHUNK_STEPS = 1_500;
/** Chunks of the smallest generation, and of the largest. */
const GENERATION = { smallest: 4, largest: 512 };
/** A generation has this share of the chunks before it. */
const GROWTH = 4;

/** Number of sequences of a share of a campaign; infinite when there is no end. */
export function runsOf({
  runs,
  share = { index: 0, count: 1 },
}: {
  readonly runs: number | null;
  readonly share?: CampaignValue['share'] | undefined;
}): number {
  const { index, count } = share;
  return Math.max(0, Math.ceil(((runs ?? Number.POSITIVE_INFINITY) - index) / count));
}

/** A part of a campaign: the runs from `first`, in steps of the share's count, to before `end`. */
export interface Chunk {
  readonly number: number;
  readonly first: number;
  readonly end: number;
}

/** Divides a campaign into chunks and generations. */
export class Chunks {
  readonly #share: CampaignValue['share'];
  readonly #runs: number;
  readonly #size: number;
  /** The first chunk of each generation. */
  readonly #starts = [0];

  constructor({ share, runs, steps }: Pick<CampaignValue, 'share' | 'runs' | 'steps'>) {
    this.#share = share;
    this.#runs = runs ?? Number.POSITIVE_INFINITY;
    this.#size = Math.max(1, Math.round(CHUNK_STEPS / steps));
  }

  /** Number of chunks; infinite when the runs are. */
  get count(): number {
    return Math.ceil(runsOf({ runs: this.#runs, share: this.#share }) / this.#size);
  }

  at(number: number): Chunk {
    const { index, count } = this.#share;
    const first = index + count * this.#size * number;
    return { number, first, end: Math.min(this.#runs, first + count * this.#size) };
  }

  of(run: number): number {
    const { index, count } = this.#share;
    return Math.floor((run - index) / (count * this.#size));
  }

  generationOf(number: number): number {
    while ((this.#starts.at(-1) ?? 0) <= number) {
      const last = this.#starts.at(-1) ?? 0;
      const size = Math.min(GENERATION.largest, Math.max(GENERATION.smallest, Math.floor(last / GROWTH)));
      this.#starts.push(last + size);
    }
    // Later chunks are asked for most.
    let generation = this.#starts.length - 1;
    while ((this.#starts[generation] ?? 0) > number) generation -= 1;
    return generation;
  }

  /**
   * How many generations the corpus of a chunk is made of: those before the one before its own, so that the chunks of a generation can begin
   * while the last ones of the generation before are still played.
   */
  corpusOf(number: number): number {
    return Math.max(0, this.generationOf(number) - 1);
  }
}
