import type { CampaignValue } from './campaign-value.js';
import type { ChunkResult } from './chunk-player.js';
import { type CorpusEntry, packed, received } from './corpus.js';
import { Coverage, rowsOf } from './coverage.js';
import { Finds } from './finds.js';
import { Goals } from './goals.js';
import { goalsOf } from './properties.js';
import type { FailureFile } from '../failure/failure-file.js';
import type { CompactSummary, Crashed, Summary } from './summary.js';

/** Progress of a campaign. */
export interface Progress {
  readonly runs: number;
  readonly steps: number;
  /** Number of triples that were reached. */
  readonly pairs: number;
  readonly goals: Goals;
}

/** What a campaign begins with. */
export interface Beginnings {
  readonly corpus: readonly CorpusEntry[];
  /** The campaign that this one goes on with; its result then includes it. */
  readonly earlier: Summary | null;
  /** Counterexamples that need not be found again. */
  readonly known: readonly FailureFile[];
}

/** A sequence that a campaign has found itself. */
type DiscoveredEntry = CorpusEntry & { readonly run: number };

/** A campaign as far as it is computed: the results of its chunks, merged in their order. */
export class CampaignState {
  readonly finds: Finds;
  readonly crashed: Crashed[] = [];
  next: number;
  /** Findings of merged chunks that are still shrunk: without them, the result so far is no place to go on from. */
  shrinking = 0;
  #runs = 0;
  #steps = 0;
  readonly #campaign: CampaignValue;
  readonly #coverage = new Coverage();
  readonly #goals: Goals;
  readonly #corpus: CorpusEntry[];
  readonly #reached: Set<string>;

  constructor(campaign: CampaignValue, { corpus, earlier, known }: Beginnings) {
    this.#campaign = campaign;
    this.#goals = new Goals(goalsOf(campaign.property));
    this.next = earlier?.next ?? campaign.share.index;
    this.finds = new Finds({ ignored: campaign.ignored, known, earlier });
    this.#corpus = corpus.map(({ steps, reached }) => packed({ steps, reached }));
    if (earlier !== null) {
      this.#runs = earlier.runs;
      this.#steps = earlier.steps;
      this.#coverage.append(rowsOf(earlier), 0);
      this.#goals.merge(earlier.goals, earlier.approaches);
      this.crashed.push(...earlier.crashed);
      const begun = new Set(this.#corpus.map(({ steps }) => JSON.stringify(steps)));
      for (const entry of earlier.corpus)
        if (!begun.has(JSON.stringify(entry.steps))) this.#corpus.push(packed(entry));
    }
    this.#reached = new Set(this.#corpus.flatMap(({ reached }) => reached));
  }

  get coverage(): Coverage {
    return this.#coverage;
  }

  get property(): string {
    return this.#campaign.property;
  }

  get beginnings(): readonly CorpusEntry[] {
    return this.#corpus.filter(({ run }) => run === undefined);
  }

  /** The sequences that it has found, in the order of their runs. */
  get discovered(): readonly DiscoveredEntry[] {
    return this.#corpus.filter((entry): entry is DiscoveredEntry => entry.run !== undefined);
  }

  /**
   * Adds the result of the next chunk, without its findings. `triples` are those that it may name by number. Returns the sequences that reach
   * something new.
   */
  merge(result: ChunkResult, triples: readonly string[]): readonly CorpusEntry[] {
    this.#coverage.append(result.coverage, this.#steps, triples);
    this.#goals.merge(result.goals, result.approaches);
    this.#runs += result.runs;
    this.#steps += result.steps;
    this.next = result.next;
    this.finds.addRepeats(result.repeats);
    const fresh: CorpusEntry[] = [];
    for (const entry of result.corpus) {
      const reached = entry.reached.filter((key) => !this.#reached.has(key));
      for (const key of reached) this.#reached.add(key);
      if (reached.length > 0) fresh.push(received({ ...entry, reached }));
    }
    this.#corpus.push(...fresh);
    return fresh;
  }

  /**
   * Progress, with what is played of the next chunk; without, it is that of this state when it is read. What takes time is worked out when it
   * is read.
   */
  progress(part: Pick<ChunkResult, 'runs' | 'steps'> & { result?: () => ChunkResult }): Progress {
    const [coverage, before] = [this.#coverage, this.#goals];
    return {
      runs: this.#runs + part.runs,
      steps: this.#steps + part.steps,
      get pairs() {
        const rows = part.result?.().coverage ?? [];
        return coverage.size + rows.filter(([key]) => typeof key === 'string' && !coverage.has(key)).length;
      },
      get goals() {
        const goals = new Goals(Object.keys(before.counts()));
        goals.merge(before.counts(), before.approaches());
        const result = part.result?.();
        if (result !== undefined) goals.merge(result.goals, result.approaches);
        return goals;
      },
    };
  }

  summary(seconds: number): Summary {
    return {
      ...this.#withoutCoverage(seconds),
      coverage: this.#coverage.counts(),
      discoveries: this.#coverage.discoveries(),
      outcomes: this.#coverage.outcomes(),
    };
  }

  compact(seconds: number): CompactSummary {
    return { ...this.#withoutCoverage(seconds), rows: this.#coverage.rows() };
  }

  #withoutCoverage(seconds: number): Omit<CompactSummary, 'rows'> {
    const { property, seed } = this.#campaign;
    const [found = null, ...alsoFound] = this.finds.files;
    return {
      property,
      seed,
      next: this.next,
      runs: this.#runs,
      steps: this.#steps,
      seconds,
      goals: this.#goals.counts(),
      approaches: this.#goals.approaches(),
      found,
      alsoFound,
      repeats: this.finds.repeats,
      shrunk: this.finds.shrunk,
      crashed: this.crashed,
      corpus: this.#corpus,
    };
  }
}
