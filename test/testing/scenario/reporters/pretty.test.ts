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
  step,
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
  // `test/golden` has the lines, the failure and the tally of a suite without a terminal.
  it('writes the reason of a skipped scenario', () => {
    expect(prettyText()).toContain('– A year goes by: time cannot be moved on a deployed bank\n');
  });

  it('has lines for failed scenarios only on a terminal', () => {
    const text = prettyText(suite(), new MemorySink(true, 80));
    expect(text).toContain('✗');
    expect(text).not.toContain('✓');
  });

  it('uses no colours when NO_COLOR is set', () => {
    expect(prettyText(suite(), new MemorySink(true), { NO_COLOR: '1' })).not.toContain(ESCAPE);
    expect(prettyText(suite(), new MemorySink(true), { NO_COLOR: '' })).toContain(`${ESCAPE}[31m`);
  });

  it('shows a scenario that passed only on a retry, also on a terminal, and counts it', () => {
    const reason = 'failed before, passed on attempt 2: step 1 alice.account: expected 1, got 2';
    const of = suite({ results: [scenario({ reason, firstFailure: 'in full' }), scenario()] });
    const text = prettyText(of, new MemorySink(true), { NO_COLOR: '1' });
    expect(text).toContain(`✓ A deposit is credited once (31 ms): ${reason}\n`);
    expect(text).toContain('2 scenarios: 2 passed (1 flaky), 0 failed');
    expect(text).not.toContain('in full');
  });

  it('names neither engine nor seed of a deployed service', () => {
    const deployed = { target: 'deployed', engine: null } as const;
    const text = prettyText(suite({ ...deployed, results: [failedScenario({ ...deployed, seed: null })] }));
    expect(text).toContain('1 scenario at a deployed service, 2 workers\n');
    expect(text).not.toMatch(/^ +seed/m);
  });

  it('names the shard in the tally', () => {
    expect(prettyText(suite({ results: [scenario()], shard: '1/3' }))).toMatch(
      /\n\n1 scenario: 1 passed, 0 failed, 0 skipped in 1\.2 s, shard 1\/3\n$/,
    );
  });
});

describe('text of a failure', () => {
  const text = textOf();

  it('shows the failed step only, with its note and the explanation of the refusal', () => {
    expect(text).toContain('note      The collateral is worth enough');
    expect(text).toContain('why       The bank lends half');
    expect(text).not.toContain('alice.deposit');
  });

  it('shows balances that changed and those of the acting agent only', () => {
    expect(text).toMatch(/alice +principal USDC +0 +10 +\+10\n/);
    expect(text).toMatch(/alice +wallet USDC +75 +75\n/);
    expect(text).not.toContain('bob');
    const other = textWith({ before: { bob: holdings(1, 0.3) }, after: { bob: holdings(1, 0.1) } });
    expect(other).toMatch(/bob +wallet SOL +0\.3 +0\.1 +-0\.2\n/);
    expect(other).not.toContain('wallet USDC');
  });

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

  it('shortens long bodies and states how much is left out', () => {
    const big = textWith({ exchanges: [exchange({ responseBody: 'z'.repeat(5000) })] });
    expect(big).toContain('(3800 characters left out)');
  });

  it('shows only the last exchanges of a step with many', () => {
    const paths = [1, 2, 3, 4, 5].map((n) => exchange({ path: `/poll/${n}` }));
    const polled = textWith({ exchanges: paths });
    expect(polled).toContain('2 earlier requests left out');
    expect(polled).not.toContain('/poll/2');
    expect(polled).toContain('/poll/5');
  });

  it('replaces sign-ins by one line unless they failed or are the step', () => {
    const auth = (path: string, more: object = {}) =>
      exchange({ path: `/api/v1/agent/auth/${path}`, responseBody: { token: 'ey.secret' }, ...more });
    const withdrawal = exchange({ path: '/api/v1/agent/withdraw' });
    const signedIn = textWith({ exchanges: [auth('challenge'), auth('verify'), withdrawal] });
    expect(signedIn).toContain(
      '    requests  sign-in of the agent left out\n    bank      POST /api/v1/agent/withdraw\n',
    );
    expect(signedIn).not.toContain('ey.secret');
    // A sign-in that is the step itself, or that failed, is shown.
    expect(textWith({ exchanges: [auth('challenge'), auth('verify')] })).toContain('ey.secret');
    const refused = [auth('challenge'), auth('verify', { status: 401 }), exchange()];
    expect(textWith({ exchanges: refused })).toContain('response  401');
  });

  it('states that no answer came, and why', () => {
    const lost = exchange({ status: null, responseBody: null, problem: 'the connection was reset' });
    const words = 'response  no response in 4 ms: the connection was reset';
    expect(textWith({ exchanges: [lost] })).toContain(words);
  });

  it('shows the failed step within a repeat', () => {
    const round = refusedStep({ place: '3.2.1' });
    const repeat = step({ place: '3', title: 'repeat', verdict: 'failed', steps: [round], exchanges: [] });
    const nested = textOf({ steps: [repeat] });
    expect(nested).toContain('step 3.2.1  alice.borrow');
    expect(nested).not.toContain('step 3  repeat');
  });

  it('shows the counterexample of a property unchanged', () => {
    const broken = textOf({ steps: [], reason: 'money was made', property: property() });
    expect(broken).toContain('reason    money was made');
    expect(broken).toContain('played    100 worlds, 2,000 steps, seed 42');
    expect(broken).toContain('a loan was repaid 61×');
    expect(broken).toContain('    name: money is kept\n    steps:\n      - alice.deposit: 1\n');
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
