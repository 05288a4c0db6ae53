import type { CorpusEntry, Summary } from '../../testing/fuzz-library.js';
import { type CompactSummary, wholeOf } from '../../testing/fuzz/campaign/summary.js';
import { type SentEntry, received, sent } from '../../testing/fuzz/campaign/corpus.js';
import { corpusKey } from '../../testing/fuzz/campaign/campaign-jobs.js';
import type { CampaignParts } from '../fuzz/campaign-file.js';
import { UsageError } from '../usage.js';

/** A result without the sequences that the workers were given: those are on the queue already, and they are most of it. */
type SavedPart = Omit<CompactSummary, 'corpus'> & {
  readonly corpus: readonly SentEntry[];
  readonly generations: number;
};

/** Results that were saved, without any sequences. */
export function withoutSequences(saved: unknown): Summary[] {
  const parts = (saved ?? []) as readonly (SavedPart | null)[];
  return parts.flatMap((part) => {
    if (part === null) return [];
    const { generations: _, ...rest } = part;
    return [wholeOf({ ...rest, corpus: [] })];
  });
}

/** The results of campaigns as they are saved on a queue, from time to time and so as small as can be. */
export class SavedParts {
  /** Length of the corpus of each generation, by campaign. */
  readonly #shared = new Map<string, number[]>();
  /** Keys of what was shared by an earlier command. */
  readonly #onQueue = new Set<string>();

  /** To be called with all that is shared with the workers. Returns whether the queue does not have it yet. */
  onShare(key: string, value: unknown): boolean {
    const [, campaign = '', generation] = /^(.*)\/corpus\/(\d+)$/.exec(key) ?? [];
    if (generation === undefined) return true;
    const lengths = this.#shared.get(campaign) ?? [];
    lengths[Number(generation)] = (value as readonly SentEntry[]).length;
    this.#shared.set(campaign, lengths);
    return !this.#onQueue.has(key);
  }

  /** Results as they are saved; `keys` are those of their campaigns. */
  saved(parts: readonly (CompactSummary | null)[], keys: readonly string[]): readonly (SavedPart | null)[] {
    return parts.map((part, at) => {
      if (part === null) return null;
      const lengths = this.#shared.get(keys[at] ?? '') ?? [];
      const shared = lengths.reduce((sum, length) => sum + length, 0);
      return { ...part, corpus: part.corpus.slice(shared).map(sent), generations: lengths.length };
    });
  }

  /** Results as they were before they were saved. Rejects with UsageError when the queue has not all of them any more. */
  async restored(
    saved: unknown,
    keys: readonly string[],
    read: (key: string) => Promise<unknown>,
  ): Promise<CampaignParts> {
    const parts: (Summary | null)[] = [];
    for (const [at, part] of ((saved ?? []) as readonly (SavedPart | null)[]).entries()) {
      if (part === null) {
        parts.push(null);
        continue;
      }
      const { generations, corpus, ...summary } = part;
      const entries: CorpusEntry[] = [];
      for (let generation = 0; generation < generations; generation += 1) {
        const key = corpusKey(keys[at] ?? '', generation);
        const shared = (await read(key)) as readonly SentEntry[] | undefined;
        if (shared === undefined)
          throw new UsageError(
            'the campaign cannot go on, since the queue has lost its sequences: cancel it',
          );
        this.#onQueue.add(key);
        for (const entry of shared) entries.push(received(entry));
      }
      for (const entry of corpus) entries.push(received(entry));
      parts.push(wholeOf({ ...summary, corpus: entries }));
    }
    return parts;
  }
}
