import { describe, expect, it } from 'vitest';
import { JsonReporter } from '../../../../src/testing/scenario/reporters/json.js';
import { MergeError, mergeReports } from '../../../../src/testing/scenario/reporters/merge.js';
import type { RuleResult, SuiteResult } from '../../../../src/testing/scenario/results.js';
import { failedScenario, MemorySink, property, scenario, skippedScenario, step, suite } from './sample.js';

function reportOf(of: SuiteResult): string {
  const sink = new MemorySink();
  const reporter = new JsonReporter(sink);
  reporter.begin(of);
  for (const result of of.results) reporter.ended(result);
  reporter.end(of);
  return sink.text;
}

const rule = (outcome: RuleResult['outcome'], ...scenarios: string[]): RuleResult => ({
  rule: 'R-1',
  sentence: 'So it is.',
  outcome,
  scenarios,
});

const shard = (of: string, more: Partial<SuiteResult>) => reportOf(suite({ shard: of, rules: [], ...more }));

describe('merging reports', () => {
  it('reproduces a single report', () => {
    const nested = step({ args: undefined, steps: [step({ place: '1.1' })] });
    const whole = suite({
      results: [failedScenario({ property: property() }), scenario({ file: 'z', steps: [nested] })],
    });
    const merged = mergeReports([reportOf(whole)]);
    expect(merged).toEqual(whole);
  });

  it('orders scenarios by file and line', () => {
    const at = (file: string, line: number) => scenario({ id: `${file}:${line}`, file, line });
    const merged = mergeReports([
      shard('1/2', { results: [at('b', 1), at('a', 10)] }),
      shard('2/2', { results: [at('a', 9), at('B', 2)] }),
    ]);
    expect(merged.results.map(({ id }) => id)).toEqual(['B:2', 'a:9', 'a:10', 'b:1']);
  });

  it('takes the longest duration, the earliest start, and the sum of workers and scenarios', () => {
    const merged = mergeReports([
      shard('1/2', { results: [scenario()], durationMs: 100, startedAt: '2026-11-21T13:00:05.000Z' }),
      shard('2/2', { results: [skippedScenario()], durationMs: 900, startedAt: '2026-11-21T13:00:01.000Z' }),
    ]);
    expect(merged).toMatchObject({
      scenarios: 2,
      workers: 4,
      durationMs: 900,
      startedAt: '2026-11-21T13:00:01.000Z',
      shard: null,
    });
  });

  it('lists the shards present when some are missing', () => {
    const merged = mergeReports([
      shard('1/3', { results: [scenario()] }),
      shard('3/3', { results: [skippedScenario()] }),
    ]);
    expect(merged.shard).toBe('1/3, 3/3');
  });

  it.each([
    ['held', 'broken', 'broken'],
    ['broken', 'held', 'broken'],
    ['not covered', 'held', 'held'],
    ['held', 'not testable here', 'held'],
    ['not covered', 'not testable here', 'not testable here'],
    ['not covered', 'not covered', 'not covered'],
  ] as const)('counts a rule that is %s in one and %s in the other as %s', (one, other, both) => {
    const merged = mergeReports([
      shard('1/2', { results: [scenario()], rules: [rule(one, 'b', 'a')] }),
      shard('2/2', { results: [skippedScenario()], rules: [rule(other, 'a', 'c')] }),
    ]);
    expect(merged.rules).toEqual([rule(both, 'a', 'b', 'c')]);
  });
});

describe('merging is rejected', () => {
  const refused = (...texts: string[]) => {
    try {
      mergeReports(texts);
    } catch (error) {
      if (error instanceof MergeError) return error.message;
      throw error;
    }
    return 'merged';
  };
  const good = reportOf(suite());
  const lines = good.trimEnd().split('\n');

  it('without reports', () => {
    expect(refused()).toBe('there is no report to merge');
  });

  it('for a text that is not a report', () => {
    expect(refused(good, '<xml/>')).toMatch(/^report 2, line 1 is no JSON/);
    expect(refused('')).toBe('report 1 has no beginning: it is no report');
    expect(refused('{"a":1}')).toMatch(/^report 1, line 1 is no line of a report \(kind: /);
    expect(refused(lines.slice(1).join('\n'))).toBe('report 1 has no beginning: it is no report');
  });

  it('with the missing member of a line', () => {
    const without = JSON.stringify({ ...scenario(), kind: 'scenario', steps: [{}] });
    expect(refused([lines[0], without, lines.at(-1)].join('\n'))).toMatch(
      /^report 1, line 2 is no line of a report \(steps\.0\.place: /,
    );
  });

  it('for a report without an end', () => {
    expect(refused(lines.slice(0, -1).join('\n'))).toBe('report 1 has no end: its run did not finish');
    expect(refused(good.slice(0, -20))).toMatch(/^report 1, line 5 is no JSON/);
  });

  it('for missing lines and for two reports in one text', () => {
    expect(refused([lines[0], ...lines.slice(2)].join('\n'))).toBe(
      'report 1 tells of 3 scenarios but holds 2: lines are missing',
    );
    expect(refused(good + good)).toBe('report 1 begins or ends twice: it is two reports in one text');
  });

  it('with the scenario that is in two shards', () => {
    expect(refused(good, good)).toBe('scenario scenarios/deposit.yaml is in reports 1 and 2');
    expect(refused(reportOf(suite({ results: [scenario(), scenario()] })))).toBe(
      'scenario scenarios/deposit.yaml is twice in report 1',
    );
  });

  it('with the differing targets or engines', () => {
    expect(refused(good, reportOf(suite({ target: 'http' })))).toBe(
      'the reports are of different targets: in-process, http',
    );
    expect(refused(good, reportOf(suite({ engine: 'bankrun' })))).toBe(
      'the reports are of different engines: litesvm, bankrun',
    );
  });
});
