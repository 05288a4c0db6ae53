import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { csvRows } from '../../../../src/core/csv.js';
import { changesOf, shareOf } from '../../../../src/testing/study/report/effects.js';
import { marksOf } from '../../../../src/testing/study/report/report-input.js';
import { studyPage } from '../../../../src/testing/study/report/page.js';
import {
  type KeySeries,
  StudySeries,
  median,
  quantile,
  spreadOf,
} from '../../../../src/testing/study/report/study-series.js';
import { figureText } from '../../../../src/testing/study/report/texts.js';
import type { MetricFacts } from '../../../../src/testing/study/metric-names.js';
import type { MetricRow, StudyManifest, StudyRun } from '../../../../src/testing/study/results.js';
import { summaryText } from '../../../../src/testing/study/summary.js';
import { readMetrics } from '../../../../src/testing/study/write-metrics.js';
import { intervalOf, studentT } from '../../../../src/testing/study/interval.js';
import { planStudy } from '../../../../src/testing/study/plan.js';
import { HOSTILE, expectHarmless, expectSelfContained } from '../../../support/html-page.js';
import { suiteFolder } from '../../../support/temporary-folder.js';
import { SMALL, begun, finished } from '../studies.js';

const FACTS = { summary: '', keys: '', of: 'instant' } as const;

describe('the report of a study', () => {
  const at = suiteFolder();
  const folder = join(at, 'out');
  let page: string;
  let manifest: StudyManifest;
  let rows: readonly MetricRow[];
  let all: StudySeries;
  let summary: Record<string, string>[];

  beforeAll(async () => {
    writeFileSync(join(at, 'study.yaml'), SMALL.replace('repetitions: 2', 'repetitions: 3\nseed: 2'));
    const plan = await planStudy(join(at, 'study.yaml'));
    const results = await finished(plan, begun(plan, folder));
    ({ manifest } = results);
    page = readFileSync(join(results.path, 'report.html'), 'utf8');
    ({ rows } = readMetrics(join(results.path, 'metrics.csv')));
    const [names = [], ...records] = csvRows(readFileSync(join(folder, 'summary.csv'), 'utf8').trimEnd());
    summary = records.map((record) => Object.fromEntries(record.map((cell, index) => [names[index], cell])));
    all = new StudySeries(manifest);
    for (const row of rows) all.add(row);
  });

  /** The last values of the runs of a point, straight from the rows. */
  const lastOf = (point: number, metric: string, key: string) =>
    manifest.runs
      .filter((run) => run.point === point)
      .map(({ run }) =>
        rows.find((row) => row.run === run && row.tick === 6 && row.metric === metric && row.key === key),
      )
      .map((row) => row?.value ?? 0)
      .toSorted((a, b) => a - b);

  /** What metrics of a study are at the end of each run. */
  function measured(of: StudyManifest, metrics: Readonly<Record<string, readonly number[]>>): StudySeries {
    const series = new StudySeries(of);
    for (const [metric, values] of Object.entries(metrics))
      for (const [index, value] of values.entries())
        series.add({ ...(rows[0] as MetricRow), run: index + 1, tick: 6, metric, key: '', value });
    return series;
  }

  const sectionOf = (name: string) =>
    page.split('<section').find((part) => part.includes(`data-name="${name}"`)) ?? '';

  const rowOf = (point: number, metric: string, key: string) =>
    summary.find((row) => row['point'] === String(point) && row['metric'] === metric && row['key'] === key) ??
    {};

  const FAILURE = { tick: 3, at: '2026-01-04T00:00:00.000Z', rule: 'a', text: 'b', state: 'c' };
  const failedFirst = (failure: StudyRun['failure']) =>
    manifest.runs.map((run) => (run.run === 1 ? { ...run, failure } : run));

  const plotOf = (text: string, title: string) =>
    text.split(`aria-label="${title} by dailyWithdrawalUsd"`)[1]?.split('</svg>')[0] ?? '';

  it('shows the medians and quartiles of metrics.csv, for each point and each value', () => {
    const [low, high] = [1, 2].map((point) => lastOf(point, 'liquidity', 'USDC')) as [number[], number[]];
    const section = sectionOf('liquidity usdc');
    for (const values of [low, high]) {
      expect(section).toContain(`<td class="number">${figureText(values[1] as number)}</td>`);
      const half = `${figureText(quantile(values, 0.25))} to ${figureText(quantile(values, 0.75))}`;
      expect(section).toContain(`<td class="number">${half}</td><td class="number">3</td>`);
    }
    expect(section.match(/<svg viewBox/g)).toHaveLength(2);
  });

  it('begins with what differs between points by more than their runs do, largest share first, and folds the rest away', () => {
    const compared = { ...manifest, metrics: { a: FACTS, b: FACTS, c: FACTS } };
    const [a, b] = [
      [10, 20, 30, 12, 22, 32],
      [1, 5, 9, 6, 2, 8],
    ];
    const series = measured(compared, { a, b, c: [100, 200, 300, 150, 250, 350] });
    const found = changesOf(compared, series).map((change) => {
      const { from, to, before, after } = change;
      return [change.series.metric, from.point, to.point, before, after, shareOf(change)];
    });
    expect(found).toEqual([
      ['c', 1, 2, 200, 250, 0.2],
      ['a', 1, 2, 20, 22, 2 / 22],
    ]);
    const [answer = '', rest = ''] = page.split('All other plots');
    const changed = [...answer.matchAll(/<th scope="row">([^<]*)<\/th><td>daily/g)].map(([, name]) => name);
    expect(changed.length).toBeGreaterThan(5);
    for (const name of changed.slice(0, 5)) expect(answer).toContain(`<h3>${name}</h3>`);
    expect(rest).toContain('<h3>capital/SOL</h3>');
    expect(answer).not.toContain('capital/SOL');
  });

  it('names the one option of several that changes a metric, or each that does', () => {
    const values = [1, 2].flatMap((a) => [3, 4].map((b) => ({ a, b })));
    const points = values.map((each, index) => ({ point: index + 1, values: each }));
    const runs = points.map(({ point }) => ({ ...(manifest.runs[0] as StudyRun), run: point, point }));
    const metrics = { onlyA: FACTS, both: FACTS, neither: FACTS };
    const swept = { ...manifest, parameters: ['a', 'b'], points, runs, metrics };
    const series = measured(swept, { onlyA: [5, 5, 9, 9], both: [1, 2, 4, 6], neither: [7, 7, 7, 7] });
    const found = changesOf(swept, series);
    expect(found.map((each) => [each.series.metric, each.option, each.from.point, each.to.point])).toEqual([
      ['both', 'a', 2, 4],
      ['onlyA', 'a', 1, 3],
      ['both', 'b', 3, 4],
    ]);
  });

  it('begins with the share of calls that each daily limit refused at each point, by persona', () => {
    const [, first = ''] = page.split('Who hits a daily limit, and how often?');
    const [, table = ''] = /<tbody>([^]*?)<\/tbody>/.exec(first) ?? [];
    const cells = table
      .trim()
      .split('\n')
      .map((row) => [...row.matchAll(/<t[hd][^>]*>([^<]*)</g)].map(([, text]) => text));
    const countOf = (point: number, kind: string, of: 'calls' | 'refused') =>
      manifest.runs
        .filter((run) => run.point === point)
        .flatMap(({ limits }) => Object.entries(limits))
        .filter(([key]) => key.startsWith(kind))
        .reduce((sum, [, counts]) => sum + counts[of], 0);
    const [low, high] = [1, 2].map((point) => {
      const [calls, refused] = [countOf(point, 'withdraw/', 'calls'), countOf(point, 'withdraw/', 'refused')];
      return [figureText(calls), `${Math.round((refused / calls) * 100)} %`];
    });
    // The point with the lower limit is first, since it has the larger share.
    expect(cells.map(([point, limit]) => `${point} ${limit}`)).toEqual(['1 20', '2 1000']);
    expect(cells.map((row) => row.slice(2, 4))).toEqual([low, high]);
    expect(cells[0]?.[4]).toMatch(/^\w+ \d+ %, /);
    const hits = rows.filter(
      ({ point, metric, key }) => point === 1 && metric === 'limitHits' && key.startsWith('withdraw/'),
    );
    expect(countOf(1, 'withdraw/', 'refused')).toBe(hits.reduce((sum, { value }) => sum + value, 0));
  });

  it('has a row of summary.csv for each point, persona and metric, with the mean and its 95 % t-interval', () => {
    const head = `point,${manifest.parameters.join(',')},metric,key,persona,n,mean,low,high`;
    expect(Object.keys(summary[0] ?? {}).join(',')).toBe(head);
    for (const point of [1, 2]) {
      const values = lastOf(point, 'liquidity', 'USDC');
      const mean = values.reduce((sum, value) => sum + value) / 3;
      const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
      // Student's t at 97.5 % for three runs
      const half = 4.30265272991 * Math.sqrt(squares / 6);
      const row = rowOf(point, 'liquidity', 'USDC');
      expect(row).toMatchObject({ persona: '', n: '3' });
      for (const [name, figure] of Object.entries({ mean, low: mean - half, high: mean + half }))
        expect(Number(row[name]) / figure).toBeCloseTo(1, 9);
    }
    const calls = manifest.runs.slice(0, 3).map(({ limits }) => limits['withdraw/spender']);
    const shares = calls.map((each) => (each?.refused ?? 0) / (each?.calls ?? 0));
    const spender = rowOf(1, 'refusedShare', 'withdraw/spender');
    expect(spender).toMatchObject({ persona: 'spender', n: '3' });
    expect(Number(spender['mean'])).toBeCloseTo(shares.reduce((sum, share) => sum + share) / 3, 10);
  });

  it('has zeros in summary.csv for a metric that is always 0 and a persona without refused calls', () => {
    const none = { persona: '', n: '3', mean: '0', low: '0', high: '0' };
    expect([1, 2].map((point) => rowOf(point, 'consequences', ''))).toMatchObject([none, none]);
    const limitHits = manifest.metrics['limitHits'] as MetricFacts;
    const text = summaryText({ ...manifest, metrics: { limitHits } }, new StudySeries(manifest));
    expect(text).toContain('\n1,20,limitHits,withdraw/saver,saver,3,0,0,0\n');
  });

  it('draws the intervals of summary.csv for each effect', () => {
    const changes = changesOf(manifest, all).slice(0, 10);
    for (const { series } of changes)
      for (const [point, value] of [
        [1, '20'],
        [2, '1,000'],
      ] as const) {
        const row = rowOf(point, series.metric, series.key);
        const [mean, low, high] = ['mean', 'low', 'high'].map((name) => figureText(Number(row[name])));
        const plot = plotOf(page, `${series.metric} ${series.key}`.trim());
        const interval = row['n'] === '1' ? '' : `, ${low} to ${high}`;
        expect(plot).toContain(`<title>${value}: ${mean}${interval}</title>`);
      }
    expect(page.match(/>Save as SVG</g)).toHaveLength(changes.length);
  });

  it.each([
    ['numbers of a grid on a line', 'grid', [20, 1_000], 'L', ['20', '1,000']],
    ['names without a line', 'grid', ['a', 'a-value-with-a-long-name'], 'V', ['a', 'a-value-with-a-…']],
    ['points of a Latin hypercube without a line', 'latin-hypercube', [20, 1_000], 'V', ['20', '1,000']],
  ] as const)('draws %s', (_what, design, values, second, names) => {
    const [path = ''] = manifest.parameters;
    const points = values.map((value, index) => ({ point: index + 1, values: { [path]: value } }));
    const told = studyPage({ ...manifest, points, study: { ...manifest.study, design } }, all);
    const plot = plotOf(told, 'limitHits withdraw/spender');
    expect(/class="interval" d="M[\d. ]+([LV])/.exec(plot)?.[1]).toBe(second);
    for (const name of [...names, 'limitHits withdraw/spender, calls per tick'])
      expect(plot).toContain(`>${name}</text>`);
  });

  it('draws the option that makes the difference, apart for each value of the other one', () => {
    const [path = ''] = manifest.parameters;
    const points = [
      { point: 1, values: { other: 1, [path]: 20 } },
      { point: 2, values: { other: 2, [path]: 1_000 } },
      { point: 3, values: { other: 2, [path]: 20 } },
    ];
    const copies = manifest.runs.slice(0, 3).map((run) => ({ ...run, run: run.run + 6, point: 3 }));
    const runs = [...manifest.runs, ...copies];
    const series = new StudySeries(manifest);
    for (const row of rows) {
      series.add(row);
      if (row.run <= 3) series.add({ ...row, run: row.run + 6, value: row.value * 0.9 });
    }
    const told = studyPage({ ...manifest, parameters: ['other', path], points, runs }, series);
    for (const other of [1, 2])
      expect(plotOf(told, `limitHits withdraw/spender, other ${other}`)).not.toBe('');
  });

  it('says what was swept when only rates and prices differ, which are inputs', () => {
    const rates = { ...manifest, metrics: { rates: FACTS } };
    expect(studyPage(rates, new StudySeries(rates))).toContain(
      'Swept: dailyWithdrawalUsd. Rates and prices are',
    );
  });

  it('explains only what its plots draw', () => {
    const failed = { ...manifest, runs: failedFirst(FAILURE) };
    const explained = (text: string) =>
      ['rate or price change</span>', 'run failure</span>'].filter((words) => text.includes(words));
    expect([page, studyPage(failed, all)].map(explained)).toEqual([[], ['run failure</span>']]);
  });

  it('leaves gaps out of means, and has no result for a run with nothing else', () => {
    const facts = { ...FACTS, of: 'tick', hasGaps: true } as const;
    const gaps = { ...manifest, metrics: { use: facts } };
    const series = new StudySeries(gaps);
    const [first] = rows as [MetricRow];
    for (const [run, tick, value] of [
      [1, 2, 0.5],
      [1, 6, 0.25],
      [2, 6, 1],
    ] as const)
      series.add({ ...first, run, tick, metric: 'use', key: 'a', value });
    const [use] = series.keysOf('use') as [KeySeries];
    expect([1, 2, 3].map((run) => series.resultOf(use, run))).toEqual([0.375, 1, null]);
    expect(summaryText(gaps, series)).toContain('\n1,20,use,a,,2,0.6875,');
    expect(studyPage(gaps, series)).not.toMatch(/NaN|Infinity/);
  });

  it('says which metrics are always 0', () => {
    expect(page).toMatch(/<h2>consequences<\/h2>\n<p[^>]*>[^<]*<\/p>\n<p class="quiet">Always 0\.<\/p>/);
  });

  it('is well-formed, loads nothing, and is the same for the same results', async () => {
    await expectSelfContained(page);
    expect(studyPage(manifest, all)).toBe(page);
  });

  it('escapes hostile text in every place', async () => {
    const path = `world.${HOSTILE}`;
    const hostile: StudyManifest = {
      ...manifest,
      study: { ...manifest.study, name: HOSTILE, description: HOSTILE },
      software: { [HOSTILE]: HOSTILE },
      population: manifest.points.map(() => ({ [HOSTILE]: 1 })),
      parameters: [path],
      points: manifest.points.map(({ point }) => ({ point, values: { [path]: `${HOSTILE}${point}` } })),
      metrics: { [HOSTILE]: { summary: HOSTILE, keys: HOSTILE, of: 'instant' } },
      runs: failedFirst({ tick: 3, at: HOSTILE, rule: HOSTILE, text: HOSTILE, state: HOSTILE }),
    };
    const series = new StudySeries(hostile);
    for (const row of rows) series.add({ ...row, metric: HOSTILE, key: row.key === '' ? '' : HOSTILE });
    const told = studyPage(hostile, series);
    await expectHarmless(told, 1);
  });

  it('shows failed runs, draws where they failed, and leaves them out of the results', () => {
    const failure = { ...FAILURE, rule: 'books = chain', state: 'failures/run-1.sim' };
    const broken = { ...manifest, runs: failedFirst(failure) };
    const told = studyPage(broken, all);
    expect(summaryText(broken, all)).toMatch(/^1,20,liquidity,USDC,,2,/m);
    expect(told).toContain('✗ 1 run failed');
    expect(told).toContain('sim inspect failures/run-1.sim');
    expect(told).toContain('<title>tick 3: run 1 failed: books = chain</title>');
    const [, liquidity = ''] = told.split('data-name="liquidity usdc"');
    const runs = [...liquidity.matchAll(/<td class="number">(\d+)<\/td><\/tr>/g)].map(([, count]) => count);
    expect(runs.slice(0, 2)).toEqual(['2', '3']);
  });

  it('draws the changes of rates and prices, unless they are many', () => {
    const series = new StudySeries({ ...manifest, ticks: 20 });
    const [first] = rows as [MetricRow];
    const change = (tick: number, key: string, value: number) =>
      series.add({ ...first, run: 1, tick, metric: 'rates', key, value });
    for (let tick = 0; tick <= 20; tick += 1) {
      change(tick, 'apy/USDC', tick < 9 ? 0.3 : 0);
      change(tick, 'usd/SOL', 150 + tick);
    }
    expect(marksOf(manifest, series, 1)).toEqual([{ tick: 9, kind: 'rates', text: 'apy/USDC: 0.3 → 0' }]);
  });
});

describe('an interval', () => {
  it.each([
    [1, 12.7062],
    [3, 3.1824],
    [10, 2.2281],
    [30, 2.0423],
    [1_000, 1.9623],
  ])("has Student's t of %i degrees of freedom from the printed tables", (freedom, expected) =>
    expect(studentT(freedom)).toBeCloseTo(expected, 4),
  );

  it('has no bounds for one result, and no mean for none', () => {
    expect([intervalOf([7]), intervalOf([])]).toEqual([
      { n: 1, mean: 7, low: Number.NaN, high: Number.NaN },
      { n: 0, mean: Number.NaN, low: Number.NaN, high: Number.NaN },
    ]);
  });
});

describe('a spread', () => {
  it('has the quantiles between sorted values, and is null for none', () => {
    expect([0, 0.25, 0.5, 0.9, 1].map((share) => quantile([1, 2, 3, 4, 5], share))).toEqual([
      1, 2, 3, 4.6, 5,
    ]);
    expect(spreadOf([])).toBeNull();
    expect(spreadOf([7])).toMatchObject({ runs: 1, least: 7, most: 7 });
    expect(median(spreadOf([9, 1, 4, 3]) as NonNullable<ReturnType<typeof spreadOf>>)).toBe(3.5);
  });
});
