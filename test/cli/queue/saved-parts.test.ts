import { expect, it } from 'vitest';
import { SavedParts, withoutSequences } from '../../../src/cli/queue/saved-parts.js';
import { CampaignState } from '../../../src/testing/fuzz/campaign/campaign-state.js';
import type { CampaignValue } from '../../../src/testing/fuzz/campaign/campaign-value.js';
import { sent } from '../../../src/testing/fuzz/campaign/corpus.js';
import { compactOf } from '../../../src/testing/fuzz/campaign/summary.js';
import { corpusKey } from '../../../src/testing/fuzz/campaign/campaign-jobs.js';

const entry = (run: number) => ({ steps: [], reached: [`triple ${run}`], run });
const given = (run: number) => sent(entry(run));
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
    [corpusKey('k/limits', 0), [sent(beginning)]],
    [corpusKey('k/limits', 1), [given(1), given(2)]],
  ]);
  for (const [key, each] of values) parts.onShare(key, each);
  return { values, rows: parts.saved([compactOf(part), null], ['k/limits', 'k/credit']) };
}

it('results are saved without the sequences that workers have, and restored with them', async () => {
  const { values, rows } = saved();
  expect(rows[0]?.corpus).toEqual([given(3)]);
  const restored = await new SavedParts().restored(rows, ['k/limits', 'k/credit'], async (key) =>
    values.get(key),
  );
  expect(restored).toEqual([part, null]);
  expect(withoutSequences(rows)).toEqual([{ ...part, corpus: [] }]);
  const goesOn = new SavedParts();
  await goesOn.restored(rows, ['k/limits'], async (key) => values.get(key));
  expect(goesOn.onShare(corpusKey('k/limits', 1), [given(1), given(2)])).toBe(false);
  expect(goesOn.onShare(corpusKey('k/limits', 2), [given(3)])).toBe(true);
  expect(await new SavedParts().restored(undefined, [], async () => undefined)).toEqual([]);
});

it('results whose sequences are gone are refused', async () => {
  const { rows } = saved();
  await expect(new SavedParts().restored(rows, ['k/limits'], async () => undefined)).rejects.toThrow(
    'the queue has lost its sequences',
  );
});
