import { expect, it } from 'vitest';
import { githubReporter, markdownSummary } from '../../src/testing/scenario/reporters/github.js';
import { htmlPage } from '../../src/testing/scenario/reporters/html-page.js';
import { junitXml } from '../../src/testing/scenario/reporters/junit.js';
import { prettyReporter } from '../../src/testing/scenario/reporters/pretty.js';
import {
  entry,
  exchange,
  failedScenario,
  holdings,
  property,
  refusedStep,
  reported,
  scenario,
  skippedScenario,
  step,
  suite,
  transaction,
} from '../testing/scenario/reporters/sample.js';

const auth = (path: string, status = 200) =>
  exchange({ path: `/api/v1/agent/auth/${path}`, status, responseBody: { token: 'ey.secret' } });
const signIn = [auth('challenge'), auth('verify')];
const failedIn = (name: string, more: Parameters<typeof refusedStep>[0]) =>
  failedScenario({ name, steps: [refusedStep(more)] });

/** What a report can tell, each in a scenario whose name says what its report has to show. */
const ALL = suite({
  scenarios: 16,
  shard: '1/3',
  results: [
    scenario(),
    scenario({
      id: 'scenarios/deposit.yaml#2',
      name: 'passed only on a retry, which is counted as flaky',
      seed: '7',
      reason: 'failed before, passed on attempt 2: step 1 alice.account: expected 1, got 2',
      firstFailure: 'step 1\n  why',
    }),
    skippedScenario(),
    failedScenario(),
    failedIn('of balances, those that changed, and those of the acting agent', {
      before: { bob: holdings(1, 0.3), carol: holdings(2, 2) },
      after: { bob: holdings(1, 0.1), carol: holdings(2, 2) },
    }),
    failedIn('of a long body, how much is left out', {
      exchanges: [exchange({ responseBody: 'z'.repeat(1_500) })],
    }),
    failedIn('of many requests, the last', {
      exchanges: [1, 2, 3, 4, 5].map((number) => exchange({ path: `/poll/${number}` })),
    }),
    failedIn('no sign-in before another call', { exchanges: [...signIn, exchange()] }),
    failedIn('a sign-in that is the step itself', { exchanges: signIn }),
    failedIn('a sign-in that failed', { exchanges: [auth('challenge'), auth('verify', 401), exchange()] }),
    failedIn('that no response came, and why', {
      exchanges: [exchange({ status: null, responseBody: null, problem: 'the connection was reset' })],
    }),
    failedIn('entries, and the error of a transaction that failed', {
      entries: [entry()],
      transactions: [transaction(), transaction({ error: { Custom: 1 } })],
    }),
    failedScenario({
      name: 'the failed step within a repeat',
      steps: [step({ title: 'repeat', verdict: 'failed', steps: [refusedStep({ place: '3.2.1' })] })],
    }),
    failedScenario({
      name: 'the counterexample of a property, unchanged',
      steps: [],
      reason: 'money was made',
      property: property(),
    }),
    failedScenario({ name: 'an error outside of steps', steps: [], reason: 'the file is not YAML' }),
  ],
  unfinished: [
    { id: 'a.yaml', name: 'hangs', where: 'interrupted, at step 3 (alice.account)' },
    { id: 'b.yaml', name: 'waits', where: null },
  ],
});

/** A page without its style, its script and their hashes. */
const contentOf = (page: string) =>
  page.replaceAll(/<(style|script)>[^]*?<\/\1>/g, '').replaceAll(/sha256-[\w+/]+=/g, '');

it.each<readonly [string, () => string]>([
  ['html', () => contentOf(htmlPage(ALL))],
  ['pretty', () => reported((sink) => prettyReporter(sink, {}), ALL)],
  ['junit', () => junitXml(ALL)],
  ['github', () => reported((sink) => githubReporter(sink, {}), ALL)],
  ['github-summary', () => markdownSummary(ALL)],
])('what users see in the %s report of every kind of result is as it was', async (name, text) => {
  await expect(text()).toMatchFileSnapshot(`outputs/reports-${name}.txt`);
});
