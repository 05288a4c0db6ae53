import { expect, it } from 'vitest';
import { SavedParts } from '../../../src/cli/queue/saved-parts.js';
import { CampaignState } from '../../../src/testing/fuzz/campaign/campaign-state.js';
import type { CampaignValue } from '../../../src/testing/fuzz/campaign/campaign-value.js';
import { corpusKey } from '../../../src/testing/fuzz/campaign/campaign-jobs.js';

const entry = (run: number) => ({ steps: [], reached: [`triple ${run}`], run });
const value = { property: 'limits', share: { index: 0, count: 1 }, ignored: [] } as unknown as CampaignValue;
const { run: _run, ...beginning } = entry(0);
const part = {
  ...new CampaignState(value, { corpus: [], earlier: null, known: [] }).summary(1),
  corpus: [beginning, entry(1), entry(2), entry(3)],
};

/** Results with two generations that are shared and one sequence that is not, as they are saved. */
function saved() {
  const parts = new SavedParts();
  const values = new Map<string, unknown>([
    ['k/limits', value],
    [corpusKey('k/limits', 0), [beginning]],
    [corpusKey('k/limits', 1), [entry(1), entry(2)]],
  ]);
  for (const [key, each] of values) parts.onShare(key, each);
  return { values, rows: parts.saved([part, null], ['k/limits', 'k/credit']) };
}

it('results are saved without the sequences that workers have, and restored with them', async () => {
  const { values, rows } = saved();
  expect(rows[0]?.corpus).toEqual([entry(3)]);
  const restored = await SavedParts.restored(rows, ['k/limits', 'k/credit'], async (key) => values.get(key));
  expect(restored).toEqual([part, null]);
  expect(await SavedParts.restored(undefined, [], async () => undefined)).toEqual([]);
});

it('results whose sequences are gone are refused', async () => {
  const { rows } = saved();
  await expect(SavedParts.restored(rows, ['k/limits'], async () => undefined)).rejects.toThrow(
    'the queue has lost its sequences',
  );
});
