import { describe, expect, it } from 'vitest';
import { DotReporter } from '../../../../src/testing/scenario/reporters/dot.js';
import { failureLine, failureText } from '../../../../src/testing/scenario/reporters/failure-text.js';
import { PLAIN } from '../../../../src/testing/scenario/reporters/paint.js';
import { PrettyReporter } from '../../../../src/testing/scenario/reporters/pretty.js';
import type { Reporter } from '../../../../src/testing/scenario/reporters/reporter.js';
import { widthOf } from '../../../../src/testing/scenario/reporters/text.js';
import type { SuiteResult } from '../../../../src/testing/scenario/results.js';
import {
  exchange,
  failedScenario,
  holdings,
  MemorySink,
  property,
  refusedStep,
  scenario,
  skippedScenario,
  step,
  suite,
} from './sample.js';

const ESCAPE = '\u001b';

function told(reporter: Reporter, of: SuiteResult = suite()): void {
  reporter.begin(of);
  for (const result of of.results) reporter.ended(result);
  reporter.end(of);
}

function prettyText(of: SuiteResult = suite(), sink = new MemorySink(), environment = {}): string {
  let ms = 0;
  told(new PrettyReporter(sink, environment, () => (ms += 500)), of);
  return sink.text;
}

const plain = (columns: number) => ({ columns, paint: PLAIN });

describe('the pretty reporter', () => {
  it('writes a line a scenario where nobody looks on', () => {
    const text = prettyText();
    expect(text).toContain('✓ A deposit is credited once (31 ms)\n');
    expect(text).toContain('✗ A loan on SOL (31 ms)\n');
    expect(text).toContain('– A year goes by: time cannot be moved on a deployed bank\n');
    expect(text).not.toContain(ESCAPE);
  });

  it('rewrites one status line on a terminal, with the rate and the failed ones above it', () => {
    const text = prettyText(suite(), new MemorySink(true, 80));
    expect(text).toContain(`${ESCAPE}[2K1/3, 0 failed, 2.0/s`);
    expect(text).toContain('✗');
    expect(text).toContain('3/3, 1 failed');
    expect(text.slice(0, text.indexOf('3/3'))).not.toContain('✓');
  });

  it('keeps the status line shorter than the terminal is wide', () => {
    const sink = new MemorySink(true, 12);
    const reporter = new PrettyReporter(sink, { NO_COLOR: '1' }, () => 0);
    reporter.begin(suite({ scenarios: 1_000_000 }));
    expect(sink.text.slice(sink.text.lastIndexOf('K') + 1)).toBe('0/1000000,…');
  });

  it('colours nothing when NO_COLOR is set', () => {
    const text = prettyText(suite(), new MemorySink(true), { NO_COLOR: '1' });
    expect(text.replaceAll(`${ESCAPE}[2K`, '')).not.toContain(ESCAPE);
    expect(prettyText(suite(), new MemorySink(true), { NO_COLOR: '' })).toContain(`${ESCAPE}[31m`);
  });

  it('ends with the rules that did not hold and a tally', () => {
    const text = prettyText();
    expect(text).toContain('4 published rules: 1 broken, 1 held, 1 not testable here, 1 not covered\n');
    expect(text).toContain('COL-2  A loan is at most half of its collateral. [scenarios/loans.yaml#2]');
    expect(text).toContain('SAV-3  Savings bear interest daily.');
    expect(text).not.toContain('DEP-1');
    expect(text.endsWith('3 scenarios: 1 passed, 1 failed, 1 skipped in 1.2 s\n')).toBe(true);
  });

  it('says nothing of rules when none are known', () => {
    expect(prettyText(suite({ rules: [], results: [scenario()], shard: '1/3' }))).toMatch(
      /\n\n1 scenario: 1 passed, 0 failed, 0 skipped in 1\.2 s, shard 1\/3\n$/,
    );
  });
});

describe('the text of a failure', () => {
  const text = failureText(failedScenario(), plain(100));

  it('says where the scenario and its failed step are', () => {
    expect(text).toContain('✗ A loan on SOL\n  scenarios/loans.yaml:5\n');
    expect(text).toContain('step 2  alice.borrow (scenarios/loans.yaml:14)');
    expect(text).toContain('note      The collateral is worth enough');
    expect(text).not.toContain('alice.deposit');
  });

  it('shows what was sent and what came back', () => {
    expect(text).toContain('args      {"amount":500,"collateral":{"token":"SOL","amount":0.1}}');
    expect(text).toMatch(/bank {6}POST \/api\/v1\/agents\/collateral\/borrow\n +\{"amount":500\}\n/);
    expect(text).toMatch(/answer {4}400 in 4 ms\n +\{"error":"insufficient_collateral"/);
  });

  it('puts expected and actual side by side', () => {
    expect(text).toMatch(/expected +│ actual\n/);
    expect(text).toMatch(/details\.available_to_borrow\n +between 400 and 600 +│ 7\.5\n/);
  });

  it('explains the refusal and tells the command that runs it alone', () => {
    expect(text).toContain('why       The bank lends half');
    expect(text).toContain('seed      42 (in-process, litesvm)');
    expect(text).toContain('alone     npx sim run scenarios/loans.yaml#2 --seed 42\n');
  });

  it('shows balances of agents whose balances changed and of the acting one only', () => {
    expect(text).toMatch(/alice +debt USDC +0 +10 +\+10\n/);
    expect(text).toMatch(/alice +wallet USDC +75 +75\n/);
    expect(text).not.toContain('bob');
    const moved = refusedStep({ before: { bob: holdings(1, 0.3) }, after: { bob: holdings(1, 0.1) } });
    const other = failureText(failedScenario({ steps: [moved] }), plain(100));
    expect(other).toMatch(/bob +wallet SOL +0\.3 +0\.1 +-0\.2\n/);
    expect(other).not.toContain('wallet USDC');
  });

  it.each([40, 60, 80, 120])('fits %i columns, but for the command', (columns) => {
    const long = failedScenario({
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
    });
    for (const line of failureText(long, plain(columns)).split('\n').slice(0, -2)) {
      expect(widthOf(line)).toBeLessThanOrEqual(columns);
    }
  });

  it('shortens long bodies and says how much is missing', () => {
    const big = failedScenario({
      steps: [refusedStep({ exchanges: [exchange({ responseBody: 'z'.repeat(5000) })] })],
    });
    expect(failureText(big, plain(100))).toContain('(3800 characters left out)');
  });

  it('shows the last exchanges of a step with many', () => {
    const paths = [1, 2, 3, 4, 5].map((n) => exchange({ path: `/poll/${n}` }));
    const polled = failureText(failedScenario({ steps: [refusedStep({ exchanges: paths })] }), plain(100));
    expect(polled).toContain('2 earlier requests left out');
    expect(polled).not.toContain('/poll/2');
    expect(polled).toContain('/poll/5');
  });

  it('shows what failed before what was sent', () => {
    const order = ['args ', 'expected ', 'why ', 'bank ', 'agent '].map((word) =>
      text.indexOf(`    ${word}`),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order).not.toContain(-1);
  });

  it('leaves out sign-ins that were made for the call, and says so in a line', () => {
    const auth = (path: string, more: object = {}) =>
      exchange({ path: `/api/v1/agent/auth/${path}`, responseBody: { token: 'ey.secret' }, ...more });
    const textOf = (...exchanges: ReturnType<typeof exchange>[]) =>
      failureText(failedScenario({ steps: [refusedStep({ exchanges })] }), plain(100));
    const signedIn = textOf(auth('challenge'), auth('verify'), exchange({ path: '/api/v1/agent/withdraw' }));
    expect(signedIn).toContain(
      '    requests  sign-in of the agent left out\n    bank      POST /api/v1/agent/withdraw\n',
    );
    expect(signedIn).not.toContain('ey.secret');
    // A sign-in that is the step itself, or that failed, is what has to be looked at.
    expect(textOf(auth('challenge'), auth('verify'))).toContain('ey.secret');
    const refused = textOf(auth('challenge'), auth('verify', { status: 401 }), exchange());
    expect(refused).toContain('answer    401');
  });

  it('says that no answer came and why', () => {
    const lost = exchange({ status: null, responseBody: null, problem: 'the connection was reset' });
    expect(
      failureText(failedScenario({ steps: [refusedStep({ exchanges: [lost] })] }), plain(100)),
    ).toContain('answer    no answer in 4 ms: the connection was reset');
  });

  it('tells the step within a repetition that failed, not the repetition', () => {
    const round = refusedStep({ place: '3.2.1' });
    const repeat = step({ place: '3', title: 'repeat', verdict: 'failed', steps: [round], exchanges: [] });
    const nested = failureText(failedScenario({ steps: [repeat] }), plain(100));
    expect(nested).toContain('step 3.2.1  alice.borrow');
    expect(nested).not.toContain('step 3  repeat');
  });

  it('tells the counterexample of a property as it is', () => {
    const broken = failureText(
      failedScenario({ steps: [], reason: 'money was made', property: property() }),
      plain(100),
    );
    expect(broken).toContain('reason    money was made');
    expect(broken).toContain('played    100 worlds, 2000 steps, seed 42');
    expect(broken).toContain('a loan was repaid 61×');
    expect(broken).toContain('    name: money is kept\n    steps:\n      - alice.deposit: 1\n');
  });

  it('survives agents and steps with the names of built-in members', () => {
    const odd = refusedStep({ title: 'constructor.borrow', before: {}, after: { toString: holdings(1, 1) } });
    expect(failureText(failedScenario({ steps: [odd] }), plain(100))).toMatch(
      /toString +wallet USDC +– +1\n/,
    );
  });

  it('lets no escape sequence of an answer reach the terminal', () => {
    const evil = failedScenario({
      name: `a${ESCAPE}[2Jb`,
      steps: [refusedStep({ problem: `${ESCAPE}]0;x` })],
    });
    expect(failureText(evil, plain(100))).not.toContain(ESCAPE);
  });
});

describe('the line of a failure', () => {
  it('names the first failed step and what was not as expected', () => {
    expect(failureLine(failedScenario())).toBe('step 2 alice.borrow: status: expected 200, got 400');
    expect(failureLine(failedScenario({ steps: [], reason: 'no such\nfile' }))).toBe('no such file');
  });
});

describe('the dot reporter', () => {
  it('writes a character a scenario and all failures at the end', () => {
    const sink = new MemorySink();
    told(new DotReporter(sink, {}));
    expect(sink.text.startsWith('.Fs\n\n✗ A loan on SOL\n')).toBe(true);
    expect(sink.text).toContain('3 scenarios: 1 passed, 1 failed, 1 skipped');
  });

  it('begins a new line where the terminal ends', () => {
    const sink = new MemorySink(false, 40);
    const many = Array.from({ length: 90 }, () => skippedScenario());
    told(new DotReporter(sink, {}), suite({ results: many, rules: [] }));
    expect(sink.text.split('\n').slice(0, 3)).toEqual(['s'.repeat(40), 's'.repeat(40), 's'.repeat(10)]);
  });
});
