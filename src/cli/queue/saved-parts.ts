import type { CorpusEntry, Summary } from '../../testing/fuzz-library.js';
import { packed } from '../../testing/fuzz/campaign/corpus.js';
import { corpusKey } from '../../testing/fuzz/campaign/campaign-jobs.js';
import type { CampaignParts } from '../fuzz/campaign-file.js';
import { UsageError } from '../usage.js';

/** A result without the sequences that the workers were given: those are on the queue already, and they are most of it. */
type SavedPart = Summary & { readonly generations: number };

/** The results of campaigns as they are saved on a queue, from time to time and so as small as can be. */
export class SavedParts {
  /** Length of the corpus of each generation, by campaign. */
  readonly #shared = new Map<string, number[]>();

  /** To be called with all that is shared with the workers. */
  onShare(key: string, value: unknown): void {
    const [, campaign = '', generation] = /^(.*)\/corpus\/(\d+)$/.exec(key) ?? [];
    if (generation === undefined) return;
    const lengths = this.#shared.get(campaign) ?? [];
    lengths[Number(generation)] = (value as readonly CorpusEntry[]).length;
    this.#shared.set(campaign, lengths);
  }

  /** Results as they are saved; `keys` are those of their campaigns. */
  saved(parts: CampaignParts, keys: readonly string[]): readonly (SavedPart | null)[] {
    return parts.map((part, at) => {
      if (part === null) return null;
      const lengths = this.#shared.get(keys[at] ?? '') ?? [];
      const shared = lengths.reduce((sum, length) => sum + length, 0);
      return { ...part, corpus: part.corpus.slice(shared), generations: lengths.length };
    });
  }

  /** Results as they were before they were saved. Rejects with UsageError when the queue has not all of them any more. */
  static async restored(
    saved: unknown,
    keys: readonly string[],
    read: (key: string) => Promise<unknown>,
  ): Promise<CampaignParts> {
    const parts = (saved ?? []) as readonly (SavedPart | null)[];
    return Promise.all(
      parts.map(async (part, at) => {
        if (part === null) return null;
        const { generations, ...summary } = part;
        const shared = await Promise.all(
          Array.from({ length: generations }, (_, generation) => read(corpusKey(keys[at] ?? '', generation))),
        );
        if (shared.includes(undefined))
          throw new UsageError(
            'the campaign cannot go on, since the queue has lost its sequences: cancel it',
          );
        return {
          ...summary,
          corpus: [...(shared as (readonly CorpusEntry[])[]).flat(), ...part.corpus].map(packed),
        };
      }),
    );
  }
}
