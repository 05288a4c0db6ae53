import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { studyPage } from '../../src/testing/study/report/page.js';
import { StudySeries } from '../../src/testing/study/report/study-series.js';
import { loadModule, NO_MODULE } from '../../src/testing/study/module.js';
import { playRun } from '../../src/testing/study/play/play-run.js';
import { planStudy, runOf } from '../../src/testing/study/plan.js';
import type { StudyManifest } from '../../src/testing/study/results.js';
import { rowsOf } from '../../src/testing/study/write-metrics.js';
import { accessibilityProblems, useBrowser } from './support.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const browser = useBrowser();

/** The report of a small part of a study of this project, as a file. */
async function reportOf(file: string): Promise<string> {
  const whole = await planStudy(file);
  const points = whole.points.map((point) => ({ ...point, population: { ...point.population, count: 9 } }));
  const plan = { ...whole, points, ticks: 12, study: { ...whole.study, repetitions: 1 } };
  const module = plan.module === null ? NO_MODULE : await loadModule(plan.module.path);
  const all = new StudySeries(plan.metrics);
  const runs: StudyManifest['runs'][number][] = [];
  for (const { point } of points) {
    const {
      series: _series,
      entriesFile: _entries,
      eventsFile: _events,
      ...result
    } = await playRun(plan, runOf(plan, point), { module });
    runs.push(result);
    for (const row of rowsOf(plan, { ...result, series: _series, entriesFile: null, eventsFile: null }))
      all.add(row);
  }
  const { study, metrics, startMs, tickMs, ticks } = plan;
  const manifest: StudyManifest = {
    format: 'agent-bank-sim study',
    version: 1,
    software: {},
    study,
    moduleSha256: null,
    startTime: new Date(startMs).toISOString(),
    tickMs,
    ticks,
    population: points.map(({ agents }) => agents),
    parameters: Object.keys(study.sweep),
    points,
    metrics,
    runs,
  };
  const at = temporaryFolder();
  writeFileSync(join(at, 'report.html'), studyPage(manifest, all));
  return pathToFileURL(join(at, 'report.html')).href;
}

describe('the report of a study', () => {
  it('fits a phone and a desktop, light and dark, is accessible, and filters its plots', async () => {
    const url = await reportOf('studies/collateral-shock.yaml');
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [390, 1280]) {
        const { page, problems } = await browser.open({ colorScheme, viewport: { width, height: 900 } });
        await page.goto(url);
        await page.evaluate(() => document.querySelectorAll('details').forEach((each) => (each.open = true)));
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(overflow).toBeLessThanOrEqual(0);
        expect(problems.filter((problem) => !problem.startsWith('request: file:'))).toEqual([]);
        expect(await accessibilityProblems(page)).toEqual([]);
      }
    const { page } = await browser.open();
    await page.goto(url);
    await page.getByText('All other plots').click();
    await page.getByRole('searchbox').fill('ltv p50');
    expect(await page.locator('details section.key:visible').count()).toBe(1);
  });
});
