import { describe, expect, it } from 'vitest';
import { GOALS, type Summary, campaign } from '../../../src/testing/fuzz-library.js';
import { limitsPage } from '../../../src/testing/fuzz/report/page.js';
import { HOSTILE, expectHarmless, expectSelfContained, faultsOf } from '../../support/html-page.js';
import { NOTHING } from './by-hand.js';
import { OPENING, failureWith } from './export-support.js';

const SOME: Summary = {
  ...NOTHING,
  runs: 1_234,
  steps: 56_789,
  seconds: 12.34,
  coverage: [
    ['usdc - saves debt full | withdraw | ok', 100, 1],
    ['usdc - saves debt full | withdraw | daily_limit_exceeded', 1, 50],
    ['- - - debt none | withdraw | ok', 900, 50],
    ['- - - debt none | account | ok', 10, 50],
    ['nobody | overlap | daily_limit_exceeded+ok', 7, 4_000],
  ],
  goals: { ...NOTHING.goals, 'code daily_limit_exceeded': 8 },
};

describe('limits report', () => {
  const page = limitsPage(SOME);

  it('shows the verdict, the number of runs and steps, and how close each limit came to full', () => {
    expect(page).toContain('<title>Every rule held: everything</title>');
    expect(page).toContain('1,234 runs of 56,789 steps in 12.3 s, 4,602 steps a second.');
    expect(page).toContain(`5 pairs of state and outcome, and 1 of ${GOALS.length} goals reached.`);
    expect(page).toContain('aria-label="daily payments: 100 %, exactly full"');
    expect(page).toContain('aria-label="collateral LTV: 125 %, by interest');
    expect(page).toMatch(/<rect class="outgrown" width="320" height="14"\/><rect class="full" width="256"/);
    expect(page).toContain('<path class="edge" d="M256 0V14"');
  });

  it('does not show a debt that grew above the LTV by interest as a violation', () => {
    expect(page).toContain(
      '<td class="text">125 %, by interest, which is allowed: the limit applies to new borrowing</td>',
    );
    expect(page).not.toMatch(/class="(?:over|failed)"/);
    const over = limitsPage({ ...SOME, approaches: { 'daily payments': 1.25 } });
    expect(over).toContain('<td class="failed">125 %, over the limit</td>');
    expect(over).toContain('<rect class="over"');
  });

  it('says of drawn limits that they were drawn', () => {
    expect(page).not.toContain('drawn');
    expect(limitsPage({ ...SOME, property: 'races,other-limits' })).toContain(
      'Limits were drawn: a share is of',
    );
  });

  it('does not round 99.9999 % to full', () => {
    expect(limitsPage({ ...SOME, approaches: { some: 0.999999 } })).toContain('some: 99.9999 %"');
  });

  it('names every goal and every limit', () => {
    for (const name of [...GOALS.map((goal) => `>${goal}<`), ...Object.keys(SOME.approaches)])
      expect(page).toContain(name);
    expect(page).toContain(`<h3>Never reached (${GOALS.length - 1})</h3>`);
    expect(page).toContain('<th scope="row">code daily_limit_exceeded</th><td>8</td>');
  });

  it('lays reached goals out in columns as wide as their longest name', () => {
    expect(page).toMatch(/<div class="columns"><table class="numbers">/);
    // A table that is wider than its column is drawn over the next one, and cut off by a narrow screen.
    expect(page).toContain('.columns table { width: 100%; }');
    expect(page).toMatch(/\.columns th\[scope=row\] \{ white-space: normal;/);
  });

  it('has a matrix of commands and outcomes, shaded by count', () => {
    expect(page).toContain(
      '<tr><th scope="row">withdraw</th><td class="n9">1,000</td><td class="n1">1</td></tr>',
    );
    expect(page).toContain('<tr><th scope="row">account</th><td class="n4">10</td><td class="n0"></td></tr>');
    expect(page).toContain('<th scope="row">daily_limit_exceeded + ok</th><td>7</td>');
    const data = /<script type="application\/json" id="pairs">([^]*?)<\/script>/.exec(page)?.[1] ?? '';
    expect(JSON.parse(data)).toEqual({
      shades: 9,
      states: ['- - - debt none', 'usdc - saves debt full'],
      counts: [
        [1, 1, 0, 100],
        [1, 1, 1, 1],
        [0, 1, 0, 900],
        [0, 0, 0, 10],
      ],
    });
  });

  it('draws the discoveries', () => {
    expect(page).toContain('the last new one came at step 4,000 of 56,789.');
    expect(page).toMatch(/<path class="line" d="M8 166H8V135.6(H8.5V[\d.]+){2}H8.5V44.4H52V14H632"\/>/);
  });

  it('shows the counterexample, its confirmation and the command that replays it', () => {
    const failure = { at: 2, kind: 'send: what', text: 'checking.usdc: expected 1, got 2' };
    const found = failureWith(OPENING, {
      failure,
      confirmed: { engine: 'bankrun', failure },
    });
    const broken = limitsPage({ ...SOME, found });
    expect(broken).toContain('<title>A rule was broken: everything</title>');
    expect(broken).toContain('<p class="problem">checking.usdc: expected 1, got 2</p>');
    expect(broken).toContain('<li><code>s2  ann.signIn {}</code></li>');
    expect(broken).toContain('<li class="failed"><code>s3  ann.send');
    expect(broken).toContain('Found on litesvm; confirmed on bankrun.');
    expect(broken).toContain('<pre>sim replay by-hand.json\nsim inspect by-hand.json</pre>');
    const alone = limitsPage({
      ...SOME,
      found: { ...found, confirmed: { engine: 'bankrun', failure: null } },
    });
    expect(alone).toContain('passes on bankrun: the engines differ');
    const further = limitsPage({
      ...SOME,
      found,
      alsoFound: [{ ...found, name: 'other', unrepeatable: true }],
    });
    expect(further).toContain('<pre>sim replay other.json\nsim inspect other.json</pre>');
    expect(further).toContain('not reproduced in a fresh world');
  });

  it('escapes hostile text in every place', async () => {
    const failure = { at: 0, kind: HOSTILE, text: HOSTILE };
    const steps = [{ id: 1, do: HOSTILE, by: HOSTILE, with: { text: HOSTILE } }];
    const hostile = limitsPage({
      ...SOME,
      property: HOSTILE,
      coverage: [
        [`${HOSTILE} | ${HOSTILE} | bad${HOSTILE.replace('+', '')}`, 3, 1],
        [`a | ${HOSTILE} | ${HOSTILE}`, 2, 2],
      ],
      goals: { [HOSTILE]: 0, [`${HOSTILE}!`]: 2 },
      approaches: { [HOSTILE]: 0.5 },
      found: failureWith(steps, { name: HOSTILE, failure, found: { property: HOSTILE, seed: 1, run: 0 } }),
    });
    await expectHarmless(hostile, 2);
  });

  it('is a well-formed page that loads nothing and runs only its own script', async () => {
    await expectSelfContained(page);
    expect(await faultsOf(limitsPage(NOTHING))).toEqual([]);
  });

  it('gives every table a header and every picture a label', () => {
    const tables = page.match(/<table[^]*?<\/table>/g) ?? [];
    expect(tables.length).toBe(5);
    for (const table of tables) expect(table).toMatch(/<thead><tr><th scope="col"/);
    for (const [picture] of page.matchAll(/<svg[^>]*>/g))
      expect(picture).toMatch(/role="img" aria-label="[^"]/);
  });
});

it('the limits report of a campaign is well-formed, smaller than 1 MB and equal for equal summaries', async () => {
  const summary = await campaign({ runs: 30, seed: 4, shrinkAttempts: 50 });
  const page = limitsPage(summary);
  expect(await faultsOf(page)).toEqual([]);
  expect(page.length).toBeLessThan(1_000_000);
  expect(limitsPage(JSON.parse(JSON.stringify(summary)) as Summary)).toBe(page);
});
