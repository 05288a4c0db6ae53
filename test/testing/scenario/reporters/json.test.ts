import { describe, expect, it } from 'vitest';
import { jsonReporter } from '../../../../src/testing/scenario/reporters/json.js';
import type { SuiteResult } from '../../../../src/testing/scenario/results.js';
import { reported, scenario, step, suite } from './sample.js';

function linesOf(of: SuiteResult = suite()): unknown[] {
  const text = reported(jsonReporter, of);
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

describe('JSON reporter', () => {
  it('writes the plan, each scenario and the end, one object per line', () => {
    const lines = linesOf();
    expect(lines[0]).toEqual({
      kind: 'begin',
      scenarios: 3,
      target: 'in-process',
      engine: 'litesvm',
      workers: 2,
      shard: null,
    });
    expect(lines.slice(1, 4)).toEqual(suite().results.map((result) => ({ kind: 'scenario', ...result })));
    expect(lines[4]).toEqual({
      kind: 'end',
      startedAt: '2026-11-21T13:00:00.000Z',
      durationMs: 1234,
      tally: { passed: 1, failed: 1, skipped: 1, flaky: 0, notFinished: 0 },
    });
  });

  it('escapes line separators and writes bigints as strings', () => {
    const args = { text: 'a\nb\u2028c', lamports: 12345678901234567890n };
    const lines = linesOf(suite({ results: [scenario({ steps: [step({ args })] })] }));
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatchObject({
      steps: [{ args: { text: 'a\nb\u2028c', lamports: '12345678901234567890' } }],
    });
  });
});
