import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { planStudy } from '../../src/testing/study/plan.js';
import { finished, partOf } from '../testing/study/studies.js';
import { accessibilityProblems, useBrowser } from './support.js';

const browser = useBrowser();

/** The report of a small part of a study of this project, as a file. */
async function reportOf(file: string): Promise<string> {
  const part = partOf(await planStudy(file), 12);
  const plan = { ...part, study: { ...part.study, repetitions: 3 } };
  return pathToFileURL(join((await finished(plan)).path, 'report.html')).href;
}

describe('the report of a study', () => {
  it('fits a phone and a desktop, light and dark, is accessible, saves a plot, and filters its plots', async () => {
    const shock = await reportOf('studies/collateral-shock.yaml');
    const cap = await reportOf('studies/daily-cap.yaml');
    for (const url of [shock, cap])
      for (const colorScheme of ['light', 'dark'] as const)
        for (const width of [390, 1280]) {
          const { page, problems } = await browser.open({ colorScheme, viewport: { width, height: 900 } });
          await page.goto(url);
          await page
            .locator('details')
            .evaluateAll((all) => all.forEach((each) => each.setAttribute('open', '')));
          const overflow = ({ scrollWidth, clientWidth }: Element) => scrollWidth - clientWidth;
          expect(await page.locator(':root').evaluate(overflow)).toBeLessThanOrEqual(0);
          expect(problems.filter((problem) => !problem.startsWith('request: file:'))).toEqual([]);
          expect(await accessibilityProblems(page)).toEqual([]);
        }
    const { page } = await browser.open();
    await page.goto(cap);
    const download = page.waitForEvent('download');
    await page.getByText('Save as SVG').first().click();
    const saved = await download;
    const svg = readFileSync(await saved.path(), 'utf8');
    expect(saved.suggestedFilename()).toMatch(/\.svg$/);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(svg).toMatch(/<circle [^>]*fill="rgb\(/);
    await page.goto(shock);
    await page.getByText('All other plots').click();
    await page.getByRole('searchbox').fill('ltv p50');
    expect(await page.locator('details section.key:visible').count()).toBe(1);
  });
});
