import { describe, expect, it } from 'vitest';
import { htmlPage } from '../../../../src/testing/scenario/reporters/html-page.js';
import type { ScenarioResult, StepResult, SuiteResult } from '../../../../src/testing/scenario/results.js';
import { HOSTILE, expectHarmless, expectSelfContained, hostileIn } from '../../../support/html-page.js';
import {
  entry,
  exchange,
  failedScenario,
  holdings,
  longScenario,
  property,
  refusedStep,
  scenario,
  skippedScenario,
  step,
  suite,
  transaction,
} from './sample.js';

const pageOf = (of: SuiteResult = suite()) => htmlPage(of);
const pageWith = (...results: ScenarioResult[]) => pageOf(suite({ results }));
const pageWithStep = (more: Partial<StepResult>) => pageWith(scenario({ steps: [step(more)] }));

describe('HTML report', () => {
  it('is a well-formed page that loads nothing and allows only its own script and style', async () => {
    await expectSelfContained(pageOf());
  });

  // `test/golden` has what is shown of every kind of result.
  it('leaves out events beyond a number per step', () => {
    const entries = Array.from({ length: 100 }, () => entry());
    expect(pageWithStep({ entries })).toContain('60 more left out');
  });
});

describe('hostile name in the HTML report', () => {
  it('is escaped in every place', async () => {
    const evil = failedScenario({
      reason: 'why',
      property: property({ goals: { [HOSTILE]: 1 } }),
      steps: [
        refusedStep({
          problem: 'what',
          exchanges: [
            exchange({
              requestHeaders: { [HOSTILE]: '1' },
              responseBody: { [HOSTILE]: '1' },
              problem: 'why',
            }),
          ],
          before: { [HOSTILE]: holdings(1, 1) },
          after: { [HOSTILE]: holdings(2, 2) },
          entries: [entry()],
          transactions: [transaction({ error: 'why' })],
        }),
      ],
    });
    const page = pageOf(hostileIn(suite({ results: [evil], shard: '1/2' }), ['verdict', 'to', 'token']));
    await expectHarmless(page, 1);
  });
});

describe('size of the HTML report', () => {
  it('is below 10 MB for 100 scenarios of 30 steps with long answers', { tags: ['slow'] }, () => {
    const results = Array.from({ length: 100 }, (_, at) => longScenario(at, 30, 20_000));
    const page = pageOf(suite({ results }));
    expect(Buffer.byteLength(page)).toBeLessThan(10_000_000);
    expect(page).toMatch(/\d+ characters left out/);
    expect(page).toContain('<p>Entry 13 deposit.credited</p>');
    expect(page).not.toContain('there are too many steps');
  });

  it(
    'is below 10 MB for three times as many steps, without details of passed ones',
    { tags: ['slow'] },
    () => {
      const results = Array.from({ length: 100 }, (_, at) => longScenario(at, 90, 100));
      const page = pageOf(suite({ results: [...results, failedScenario()] }));
      expect(Buffer.byteLength(page)).toBeLessThan(10_000_000);
      expect(page).toContain('there are too many steps');
      expect(page).toContain('Response: <strong>400</strong>');
      expect(page).not.toContain('Response: <strong>200</strong>');
    },
  );

  it('allows longer answers when there are few', () => {
    const page = pageWith(longScenario(1, 1, 20_000), skippedScenario());
    expect(page).toContain('word '.repeat(700));
    expect(page).toMatch(/\(\d+ characters left out\)/);
  });

  it('allows only the last requests of a step with very many', () => {
    const exchanges = Array.from({ length: 50 }, (_, at) => exchange({ path: `/poll/${at}/` }));
    const page = pageWithStep({ exchanges });
    expect(page).toContain('30 earlier requests left out');
    expect(page).not.toContain('/poll/29/');
    expect(page).toContain('/poll/49/');
  });
});
