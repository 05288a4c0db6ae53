import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, createSimulator } from '../../src/simulator/simulator.js';
import { accessibilityProblems, expectSound, originOf, pictured, settled, useBrowser } from './support.js';
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
      await pictured(opened.page, `${view}-${colorScheme}-${width}`);
    }
  });
});

/** Which of a dialog's fields has the focus; -1 for none. */
const focusedField = (dialog: Element) =>
  [...dialog.querySelectorAll('input, select, textarea')].indexOf(document.activeElement ?? dialog);

/** The elements of a dialog that show less than they hold, or reach beyond it. */
const clippedIn = (dialog: Element) =>
  [dialog, ...dialog.querySelectorAll('*')]
    .filter(
      (element) =>
        element.scrollWidth > element.clientWidth + 1 ||
        element.getBoundingClientRect().right > dialog.getBoundingClientRect().right,
    )
    .filter((element) => getComputedStyle(element).display !== 'inline')
    .map((element) => `${element.tagName} ${element.textContent.slice(0, 40)}`);

describe('what else is shown', () => {
  it.each([390, 1280])('has no accessibility problem, and fits, at %i pixels', async (width) => {
    const opened = await browser.open({ viewport: { width, height: 900 } });
    const { page } = opened;
    const look = async (name: string) => {
      await settled(page);
      expect(await accessibilityProblems(page), name).toEqual([]);
      await expectSound(opened);
      await pictured(page, `${name}-light-${width}`);
    };
    await page.goto(`${origin}/inspector/compare?from=${town.payment}&to=now`);
    await look('compared');
    await page.goto(`${origin}/inspector/compare?agent=${town.payer}&other=${town.shop}`);
    await look('compared-agents');
    const { id, fork } = await sim.openFork();
    await fork.agent(0).fund(7, 'USDC');
    await page.goto(`${origin}/w/${id}/inspector/agents/${town.payer}`);
    await page.getByText('parent 398.50').waitFor();
    await look('forked-agent');
    await page.goto(`${origin}/inspector/`);
    for (const name of ['Advance', 'Set rate or price', 'Scale', 'Faucet']) {
      await settled(page);
      await page.getByRole('main').getByRole('button', { name, exact: true }).click();
      await page.getByRole('dialog').waitFor();
      await look(`dialog-${name}`);
      expect(await page.getByRole('dialog').evaluate(focusedField), name).toBe(0);
      expect(await page.getByRole('dialog').evaluate(clippedIn), name).toEqual([]);
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await sim.dropFork(id);
  });
});

describe('a fork of a fork', () => {
  it('is compared with the fork that it was made from', async () => {
    const first = await sim.openFork();
    await first.fork.agent(0).fund(20, 'USDC');
    const second = await first.fork.openFork();
    await second.fork.agent(0).fund(3, 'USDC');
    const opened = await browser.open();
    const { page } = opened;
    await page.goto(`${origin}/w/${second.id}/inspector/agents/${town.payer}`);
    await page.getByText('parent 418.50').waitFor();
    await page.getByRole('link', { name: `Parent ${first.id}` }).waitFor();
    await page.getByRole('link', { name: 'Compare with parent' }).click();
    await page.getByText(`Only in ${second.id}`).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/w/${first.id}/inspector/compare`);
    await page.getByText('+3.00').first().waitFor();
    // Without its parent there is nothing to compare it with.
    await sim.dropFork(first.id);
    await page.goto(`${origin}/w/${second.id}/inspector/agents/${town.payer}`);
    await page.getByText('421.50').first().waitFor();
    expect(await page.getByRole('link', { name: 'Compare with parent' }).count()).toBe(0);
    await sim.dropFork(second.id);
    await expectSound(opened);
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

  it('comes to rest over a world in which nothing happens', async () => {
    const { page } = await browser.open();
    await page.clock.install();
    for (const view of viewsOf(town)) {
      await page.goto(`${origin}/inspector/${view}`);
      await settled(page);
      let asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      // What the first events have brought about ends; on a busy machine not in the first half minute.
      for (let round = 0; round < 6; round += 1) {
        asked = [];
        await page.clock.runFor(30_000);
        if (asked.length === 0) break;
      }
      page.removeAllListeners('request');
      expect(asked, view).toEqual([]);
    }
  });
});
