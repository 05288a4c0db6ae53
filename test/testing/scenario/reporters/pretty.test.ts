import { describe, expect, it } from 'vitest';
import { failureLine, failureText } from '../../../../src/testing/scenario/reporters/failure-text.js';
import { PLAIN } from '../../../../src/testing/scenario/reporters/reporter.js';
import { prettyReporter } from '../../../../src/testing/scenario/reporters/pretty.js';
import { widthOf } from '../../../../src/testing/scenario/reporters/text.js';
import type { ScenarioResult, StepResult, SuiteResult } from '../../../../src/testing/scenario/results.js';
import {
  exchange,
  failedScenario,
  holdings,
  MemorySink,
  property,
  refusedStep,
  reported,
  scenario,
  suite,
} from './sample.js';

const ESCAPE = '\u001b';

function prettyText(of: SuiteResult = suite(), sink = new MemorySink(), environment = {}): string {
  return reported((to) => prettyReporter(to, environment), of, sink);
}

/** The text of a failed scenario that differs so from the sample. */
function textOf(more: Partial<ScenarioResult> = {}, columns = 100): string {
  return failureText(failedScenario(more), { columns, paint: PLAIN });
}

/** The text of a scenario with one failed step, which differs so from the sample. */
const textWith = (more: Partial<StepResult>) => textOf({ steps: [refusedStep(more)] });

describe('pretty reporter', () => {
  // `test/golden` has what is written of every kind of result without a terminal.
  it('has lines for failed scenarios only on a terminal', () => {
    const text = prettyText(suite(), new MemorySink(true, 80));
    expect(text).toContain('✗');
    expect(text).not.toContain('✓');
  });

  it('uses no colours when NO_COLOR is set', () => {
    expect(prettyText(suite(), new MemorySink(true), { NO_COLOR: '1' })).not.toContain(ESCAPE);
    expect(prettyText(suite(), new MemorySink(true), { NO_COLOR: '' })).toContain(`${ESCAPE}[31m`);
  });

  it('shows a scenario that passed only on a retry on a terminal too', () => {
    const of = suite({ results: [scenario({ reason: 'passed on attempt 2', firstFailure: 'in full' })] });
    expect(prettyText(of, new MemorySink(true), { NO_COLOR: '1' })).toContain(': passed on attempt 2\n');
  });

  it('names neither engine nor seed of a deployed service', () => {
    const deployed = { target: 'deployed', engine: null } as const;
    const text = prettyText(suite({ ...deployed, results: [failedScenario({ ...deployed, seed: null })] }));
    expect(text).toContain('1 scenario at a deployed service, 2 workers\n');
    expect(text).not.toMatch(/^ +seed/m);
  });
});

describe('text of a failure', () => {
  it.each([40, 60, 80, 120])('fits %i columns, except for the command', (columns) => {
    const long: Partial<ScenarioResult> = {
      name: 'A name '.repeat(30),
      file: `${'folder/'.repeat(20)}x.yaml`,
      property: property({ counterexample: 'word '.repeat(100) }),
      steps: [
        refusedStep({
          explanation: 'because '.repeat(40),
          mismatches: [{ path: 'a.'.repeat(60), expected: 'x'.repeat(300), actual: '銀行'.repeat(90) }],
          exchanges: [exchange({ responseBody: { text: 'y'.repeat(3000) } })],
          after: { ['agent'.repeat(30)]: holdings(123456789.123456, 1234567.123456789) },
        }),
      ],
    };
    for (const line of textOf(long, columns).split('\n').slice(0, -2)) {
      expect(widthOf(line)).toBeLessThanOrEqual(columns);
    }
  });

  it('prints agents and steps named like built-in members', () => {
    const odd = { title: 'constructor.borrow', before: {}, after: { toString: holdings(1, 1) } };
    expect(textWith(odd)).toMatch(/toString +wallet USDC +– +1\n/);
  });

  it('lets no escape sequence reach the terminal', () => {
    const evil = { name: `a${ESCAPE}[2Jb`, steps: [refusedStep({ problem: `${ESCAPE}]0;x` })] };
    expect(textOf(evil)).not.toContain(ESCAPE);
  });
});

it('the line of a failure is one line', () => {
  expect(failureLine(failedScenario({ steps: [], reason: 'no such\nfile' }))).toBe('no such file');
});
