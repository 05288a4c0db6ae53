import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { githubReporter, markdownSummary } from '../../../../src/testing/scenario/reporters/github.js';
import type { ScenarioResult } from '../../../../src/testing/scenario/results.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { failedScenario, reported, scenario, skippedScenario, suite } from './sample.js';

const annotated = (...results: ScenarioResult[]) =>
  reported((sink) => githubReporter(sink, {}), suite({ results }));

describe('GitHub annotation', () => {
  it('is written for no passed or skipped scenario', () => {
    expect(annotated(scenario(), skippedScenario())).toBe('');
  });

  it('names the file relative to the workspace, from which GitHub finds it', () => {
    const at = (workspace: string) =>
      reported((sink) => githubReporter(sink, { GITHUB_WORKSPACE: workspace }), suite());
    expect(at(dirname(process.cwd()))).toContain(`file=${basename(process.cwd())}/scenarios/loans.yaml,`);
    expect(at(join(process.cwd(), 'docs'))).toContain('file=scenarios/loans.yaml,');
  });

  it('escapes characters that end the command or a property', () => {
    const text = annotated(
      failedScenario({
        name: '100%: a,b\r\n::warning::c',
        file: 'a:b,c%.yaml',
        steps: [],
        reason: '50%\r\n::d',
      }),
    );
    expect(text).toMatch(
      /^::error file=a%3Ab%2Cc%25\.yaml,line=5,title=100%25%3A a%2Cb %3A%3Awarning%3A%3Ac::/,
    );
    expect(text).toContain('50%25%0A');
    expect(text.trimEnd()).not.toMatch(/[\r\n]/);
  });
});

describe('GitHub step summary', () => {
  it('is appended to its file', () => {
    const file = join(temporaryFolder(), 'summary.md');
    writeFileSync(file, 'before\n');
    reported((sink) => githubReporter(sink, { GITHUB_STEP_SUMMARY: file }), suite());
    expect(readFileSync(file, 'utf8')).toBe(`before\n${markdownSummary(suite())}`);
  });

  // `test/golden` has the table of every kind of failure.
  it('contains no table when every scenario passes', () => {
    expect(markdownSummary(suite({ results: [scenario()], shard: '2/3' }))).toBe(
      '## ✅ 1 scenario on in-process, litesvm, shard 2/3\n\n1 passed, 0 failed, 0 skipped in 1.2 s.\n\n',
    );
  });

  it('lets no name break the table or insert markup or mentions', () => {
    const text = markdownSummary(
      suite({ results: [failedScenario({ name: 'a|b\nc `x` <img src=x> @all [l](http://e) \\| *' })] }),
    );
    const line = text.split('\n').find((row) => row.startsWith('| a'));
    expect(line?.split('|')).toHaveLength(6);
    expect(line).not.toMatch(/[`<>@[\]*\\]/);
  });

  it('states how many failures it leaves out', () => {
    const text = markdownSummary(suite({ results: Array.from({ length: 203 }, () => failedScenario()) }));
    expect(text).toContain('\n3 failures more.\n');
  });
});
