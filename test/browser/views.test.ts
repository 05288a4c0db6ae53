import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, createSimulator } from '../../src/simulator/simulator.js';
import { accessibilityProblems, expectSound, originOf, settled, useBrowser } from './support.js';
import { type Town, buildTown, viewsOf } from './town.js';

const browser = useBrowser();
let sim: Simulator;
let origin: string;
let town: Town;

beforeAll(async () => {
  sim = await createSimulator({ engine: 'litesvm', time: 'frozen', history: 200 });
  town = await buildTown(sim);
  origin = await originOf(sim);
});
afterAll(() => sim.close());

describe.each(['light', 'dark'] as const)('every view in %s', (colorScheme) => {
  it.each([390, 1280])('has no accessibility problem, and fits, at %i pixels', async (width) => {
    const opened = await browser.open({ colorScheme, viewport: { width, height: 900 } });
    for (const view of viewsOf(town)) {
      await opened.page.goto(`${origin}/inspector/${view}`);
      await settled(opened.page);
      expect(await accessibilityProblems(opened.page), view).toEqual([]);
      await expectSound(opened);
    }
  });
});

describe('every view', () => {
  it('can be reached by its own address, again after a reload, and on a fork', async () => {
    const { id } = await sim.openFork();
    const opened = await browser.open();
    for (const mount of ['', `/w/${id}`])
      for (const view of viewsOf(town)) {
        await opened.page.goto(`${origin}${mount}/inspector/${view}`);
        await settled(opened.page);
        const title = await opened.page.getByRole('heading', { level: 1 }).first().innerText();
        await opened.page.reload();
        await settled(opened.page);
        expect(await opened.page.getByRole('heading', { level: 1 }).first().innerText(), view).toBe(title);
        expect(new URL(opened.page.url()).pathname).toBe(`${mount}/inspector/${view}`);
      }
    await expectSound(opened);
  });

  it('asks nothing of a world in which nothing happens', async () => {
    const { page } = await browser.open();
    await page.clock.install();
    const asked: string[] = [];
    for (const view of viewsOf(town)) {
      await page.goto(`${origin}/inspector/${view}`);
      await settled(page);
      // What the first events have brought about ends.
      await page.clock.runFor(5_000);
      await settled(page);
      page.on('request', (request) => asked.push(`${view}: ${request.url()}`));
      await page.clock.runFor(30_000);
      page.removeAllListeners('request');
    }
    expect(asked).toEqual([]);
  });
});
