import { expect, it } from 'vitest';
import { failureText } from '../../src/cli/fuzz/failures.js';
import { summaryText } from '../../src/cli/fuzz/summary-text.js';
import { NOTHING } from '../testing/fuzz/by-hand.js';
import { OPENING, failureWith } from '../testing/fuzz/export-support.js';

const failure = { at: 2, kind: 'send: it', text: 'checking.usdc: expected 1,\ngot 2' };
const found = failureWith(OPENING, { failure, confirmed: { engine: 'bankrun', failure } });
const first = (text: string) => text.split('\n').slice(0, 2);

it('names the rule first, in a line, then what has become of it elsewhere', () => {
  expect(first(failureText(found))).toEqual([
    'send: checking.usdc: expected 1, got 2',
    '  (litesvm; confirmed on bankrun)',
  ]);
  expect(first(failureText({ ...found, failure: { ...failure, rule: 'mine' } }))[0]).toBe(
    'mine: send: checking.usdc: expected 1, got 2',
  );
  const alone = { ...found, confirmed: { engine: 'bankrun' as const, failure: null } };
  expect(failureText(alone)).toContain('passes on bankrun: the engines differ');
});

it('says that state survives a revert, or that nothing repeats it, rather than that the engines differ', () => {
  const revert = { id: 99, do: 'revert', with: { to: '${s1.snapshot}' } };
  expect(failureText({ ...found, steps: [...found.steps, revert] })).toContain(
    '(litesvm; state survives a revert; confirmed on bankrun)',
  );
  const once = {
    ...found,
    unrepeatable: true as const,
    confirmed: { engine: 'bankrun' as const, failure: null },
  };
  expect(failureText(once)).toContain('not reproduced in a fresh world');
  expect(failureText(once)).not.toContain('engines differ');
});

it('says why there is no scenario', () => {
  const kept = new Map([[found.name, [`${found.name}.json`]]]);
  const ofFind = (file: typeof found) =>
    summaryText({ ...NOTHING, found: file }, kept, { interrupted: null, isKept: false, unchecked: 0 });
  expect(ofFind(found)).toContain('No scenario: a scenario cannot express it.');
  expect(ofFind({ ...found, unrepeatable: true })).toContain('No scenario: a scenario would pass,');
});
