import type { CampaignValue } from './campaign-value.js';
import type { CorpusEntry } from './corpus.js';
import { outcomesOf, type Reached, Tally } from './tally.js';
import { type Beginnings, Finds, type Crashed, type Summary } from './summary.js';
import { goalsOf } from './properties.js';
import type { RangeResult } from './range-player.js';

export interface Progress {
  readonly runs: number;
  readonly steps: number;
  /** All of it, added up on access. */
  readonly reached: Reached;
}

/** The progress of a campaign: the results of its ranges, merged in order. */
export class CampaignState extends Tally {
  readonly finds: Finds;
  readonly crashed: Crashed[] = [];
  next: number;
  /** Findings of merged ranges that are still being shrunk. Without them, the result so far is incomplete and cannot be continued. */
  shrinking = 0;
  readonly #campaign: CampaignValue;
  readonly #corpus: CorpusEntry[] = [];
  readonly #reached: Set<string>;

  constructor(campaign: CampaignValue, { earlier, known }: Beginnings) {
    super(goalsOf(campaign));
    this.#campaign = campaign;
    this.next = earlier?.next ?? campaign.first;
    this.finds = new Finds({ ignored: campaign.ignored, known, earlier });
    if (earlier !== null) {
      this.append(earlier);
      this.crashed.push(...earlier.crashed);
      this.#corpus.push(...earlier.corpus);
    }
    const sequences = [...campaign.corpus, ...this.#corpus];
    this.#reached = new Set(sequences.flatMap(({ reached }) => reached));
  }

  /** Merges the result of the next range, without its findings. */
  merge(result: RangeResult): void {
    this.append(result);
    this.next = result.next;
    // Failures that the range did not return.
    this.finds.repeats += result.repeats;
    for (const entry of result.corpus) {
      const reached = entry.reached.filter((key) => !this.#reached.has(key));
      for (const key of reached) this.#reached.add(key);
      if (reached.length > 0) this.#corpus.push({ ...entry, reached });
    }
  }

  /** Progress including the current part of the next range. */
  progress(part: Tally = new Tally()): Progress {
    const { runs, steps } = this;
    const before = () => this.reached();
    return {
      runs: runs + part.runs,
      steps: steps + part.steps,
      get reached() {
        const earlier = before();
        const sum = new Tally(Object.keys(earlier.goals));
        for (const each of [earlier, part.reached()]) sum.append(each);
        return sum.reached();
      },
    };
  }

  summary(seconds: number): Summary {
    const { property, seed } = this.#campaign;
    const [found = null, ...alsoFound] = this.finds.files;
    const reached = this.reached();
    return {
      property,
      seed,
      next: this.next,
      seconds,
      ...reached,
      outcomes: outcomesOf(reached.coverage),
      found,
      alsoFound,
      repeats: this.finds.repeats,
      shrunk: this.finds.shrunk,
      crashed: this.crashed,
      corpus: this.#corpus,
    };
  }
}
