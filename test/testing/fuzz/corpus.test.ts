// @module-tag slow
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CorpusEntry, beginningOf, renumbered } from '../../../src/testing/fuzz/campaign/corpus.js';
import { drawing } from '../../support/seeded.js';
import { campaign } from '../../../src/testing/fuzz-library.js';
import type { Step } from '../../../src/testing/fuzz/step.js';
import { forAllOf } from '../../support/for-all.js';

const send = (id: number): Step => ({ id, do: 'send', by: 'ann', with: { transfers: [] } });
const record = (id: number, of: number): Step => ({
  id,
  do: 'deposit',
  by: 'ann',
  with: { body: { amount: 1, tx_signature: `\${s${of}.signature}` } },
});

describe('corpus', () => {
  it('renumbers steps together with references to them', () => {
    expect(renumbered([send(3), record(4, 3)], (id) => id + 10)).toEqual([send(13), record(14, 13)]);
  });

  it('lets a sequence begin with the first steps of an entry, or with all of them', () => {
    const entries: CorpusEntry[] = [
      { steps: [send(9), record(10, 9), send(11)], reached: ['a'] },
      { steps: [send(9), send(10)], reached: ['b'] },
    ];
    forAllOf(300, fc.integer(), (seed) => {
      const begun = beginningOf(entries, drawing(seed));
      expect(begun.length).toBeGreaterThan(0);
      expect(entries.some(({ steps }) => begun.every((step, at) => step === steps[at]))).toBe(true);
    });
  });

  it(
    'lets a campaign cover more pairs than one of the same length without it, and what it has reached is not new',
    { timeout: 60_000 },
    async () => {
      const first = await campaign({ runs: 40, seed: 3, corpus: [] });
      expect(first.corpus.length).toBeGreaterThan(10);
      const fresh = await campaign({ runs: 15, seed: 4 });
      const begun = await campaign({ runs: 15, seed: 4, corpus: first.corpus });
      expect(begun.coverage.length).toBeGreaterThan(fresh.coverage.length);
      const reached = new Set(first.corpus.flatMap((entry) => entry.reached));
      const more = begun.corpus.flatMap((entry) => entry.reached);
      expect(more.filter((key) => reached.has(key))).toEqual([]);
    },
  );
});
