import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, createSimulator } from '../../src/simulator/simulator.js';
import {
  type OpenPage,
  WORLD,
  accessibilityProblems,
  expectSound,
  pictured,
  served,
  settled,
  useBrowser,
} from './support.js';
import { type Town, buildTown, viewsOf } from './town.js';

const browser = useBrowser();
let sim: Simulator;
let origin: string;
let town: Town;

/** How long a view may take to come to rest. */
const MOST_REAL_MS = 20_000;
/** The rules of axe that depend on colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

beforeAll(async () => {
  sim = await createSimulator(WORLD);
  town = await buildTown(sim);
  origin = (await sim.listen()).origin;
});
afterAll(() => sim.close());

/** Expects that a page is at rest, accessible and sound. */
async function look(opened: OpenPage, name: string, rules?: string[]): Promise<void> {
  await settled(opened.page);
  expect(await accessibilityProblems(opened.page, rules), name).toEqual([]);
  await expectSound(opened);
  await pictured(opened.page, name);
}

describe('every view', () => {
  it('has no accessibility problem, and fits, on a phone and on a desktop, light and dark', async () => {
    const opened = await browser.open();
    const { page } = opened;
    for (const view of viewsOf(town)) {
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize({ width: 390, height: 900 });
      await page.goto(`${origin}/inspector/${view}`);
      await look(opened, `${view}-light-390`);
      await page.setViewportSize({ width: 1280, height: 900 });
      await look(opened, `${view}-light-1280`);
      await page.emulateMedia({ colorScheme: 'dark' });
      await look(opened, `${view}-dark-1280`, COLOUR_RULES);
      await page.setViewportSize({ width: 390, height: 900 });
      await look(opened, `${view}-dark-390`, COLOUR_RULES);
    }
  });

  it('can be reached by its own address on a fork, again after a reload', async () => {
    const { id } = await sim.openFork();
    const opened = await browser.open();
    const { page } = opened;
    const title = () => page.getByRole('heading', { level: 1 }).first().innerText();
    for (const path of viewsOf(town).map((view) => `/w/${id}/inspector/${view}`)) {
      await page.goto(origin + path);
      await settled(page);
      expect((await title()) === 'Not found', path).toBe(path.endsWith('no-such-view'));
      // A reload asks for the address that the page has now.
      expect(new URL(page.url()).pathname).toBe(path);
    }
    await page.goto(`${origin}/w/${id}/inspector/agents/${town.payer}`);
    await settled(page);
    const first = await title();
    await page.reload();
    await settled(page);
    expect(await title()).toBe(first);
    await expectSound(opened);
    await sim.dropFork(id);
  });

  it('comes to rest over a world in which nothing happens', async () => {
    const { page } = await browser.open();
    await page.clock.install();
    for (const view of viewsOf(town)) {
      await page.goto(`${origin}/inspector/${view}`);
      await settled(page);
      let asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      // What the first events have brought about ends; on a busy machine only when their responses are there, which takes real time.
      const endMs = performance.now() + MOST_REAL_MS;
      while (performance.now() < endMs) {
        asked = [];
        await page.clock.runFor(30_000);
        if (asked.length === 0) break;
      }
      page.removeAllListeners('request');
      expect(asked, view).toEqual([]);
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
    await page.goto(`${origin}/inspector/compare?from=${town.payment}&to=now`);
    await look(opened, `compared-${width}`);
    await page.goto(`${origin}/inspector/compare?agent=${town.payer}&other=${town.shop}`);
    await look(opened, `compared-agents-${width}`);
    const { id, fork } = await sim.openFork();
    await fork.agent(0).fund(7, 'USDC');
    await page.goto(`${origin}/w/${id}/inspector/agents/${town.payer}`);
    await page.getByText('parent 398.50').waitFor();
    await look(opened, `forked-agent-${width}`);
    await page.goto(`${origin}/inspector/`);
    for (const name of ['Advance', 'Set rate or price', 'Scale', 'Faucet']) {
      await settled(page);
      await page.getByRole('main').getByRole('button', { name, exact: true }).click();
      await page.getByRole('dialog').waitFor();
      await look(opened, `dialog-${name}-${width}`);
      expect(await page.getByRole('dialog').evaluate(focusedField), name).toBe(0);
      expect(await page.getByRole('dialog').evaluate(clippedIn), name).toEqual([]);
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await sim.dropFork(id);
  });
});

describe('figures', () => {
  const figure = (page: Page, name: string) =>
    page.locator('.figure', { has: page.getByText(name, { exact: true }) }).first();

  it('say what they count: the treasury without collection addresses, as in the journal', async () => {
    const { page } = await browser.open();
    await page.goto(`${origin}/inspector/`);
    await settled(page);
    const treasury = sim.books
      .trialBalance()
      .accounts.find(({ account, token }) => account === 'treasury' && token === 'USDC');
    const held = (treasury?.debit ?? 0) - (treasury?.credit ?? 0);
    expect(held).toBeGreaterThan(0);
    const shown = await figure(page, 'Treasury').locator('.figure-value').textContent();
    expect(Number(shown?.replaceAll(/[^\d.]/g, ''))).toBe(held);
    await figure(page, 'Collection addresses').waitFor();
  });

  it('of loans have a unit, and an APR says whose it is', async () => {
    const { page } = await browser.open();
    await page.goto(`${origin}/inspector/agents/${town.payer}`);
    await settled(page);
    await figure(page, 'APR of a new loan').waitFor();
    for (const name of ['Amount USDC', 'Owed USDC', 'APR'])
      await page.getByRole('columnheader', { name }).waitFor();
    await page.getByText('collateral loan, principal').waitFor();
  });

  it('below a chart are the last ones while the pointer is not on it', async () => {
    const { page } = await browser.open();
    await page.goto(`${origin}/inspector/agents/${town.payer}`);
    await settled(page);
    const legend = page.locator('.u-legend').first();
    const last = await legend.innerText();
    expect(last).toContain('398.50');
    await page
      .locator('.u-over')
      .first()
      .hover({ position: { x: 4, y: 4 } });
    await expect.poll(() => legend.innerText()).not.toBe(last);
    await page.mouse.move(0, 0);
    await expect.poll(() => legend.innerText()).toBe(last);
  });

  it('do not stand alone in a row, however wide the window', async () => {
    const { page } = await browser.open();
    for (const view of ['', `agents/${town.payer}`]) {
      await page.goto(`${origin}/inspector/${view}`);
      await settled(page);
      const figures = page.locator('.figures').first();
      for (const width of [390, 1000, 1180, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        const alone = await figures.evaluate((grid) => {
          const boxes = [...grid.children].map((each) => each.getBoundingClientRect());
          const last = boxes.filter(({ top }) => top === boxes.at(-1)?.top);
          return last.length === 1 && (last[0]?.width ?? 0) < grid.clientWidth - 4;
        });
        expect(alone, `${view} at ${width}`).toBe(false);
      }
    }
  });
});

describe('a new world', () => {
  it('shows its dev wallets with balances, and the base URL, before any has signed in', async () => {
    const { sim: fresh, origin: base } = await served({ time: 'real' });
    const { page } = await browser.open();
    await page.goto(`${base}/inspector/agents`);
    await page.getByText(`${base}/api/v1`).waitFor();
    const rows = page.getByRole('group', { name: 'Wallets' }).getByRole('row');
    await rows.nth(1).waitFor();
    expect(await rows.count()).toBe(1 + fresh.wallets.length);
    await page.goto(`${base}/inspector/`);
    await settled(page);
    expect(await page.getByText('time has not passed').count()).toBe(0);
  });
});

describe('the timeline', () => {
  it('shows a token that is renewed as no failure', async () => {
    const { sim: fresh, origin: base } = await served();
    const agent = fresh.agent(0);
    await agent.fund(5, 'USDC');
    await fresh.advance('40d');
    await agent.account();
    const { page } = await browser.open();
    await page.goto(`${base}/inspector/timeline`);
    const badge = page.locator('.badge', { hasText: 'token_expired' }).first();
    expect(await badge.getAttribute('class')).toBe('badge ');
  });

  it('has its whole navigation and dates on a phone', async () => {
    const { page } = await browser.open({ viewport: { width: 390, height: 900 } });
    await page.goto(`${origin}/inspector/timeline`);
    await page.getByRole('row').getByText('2026-01-01').first().waitFor();
    const links = await page.getByRole('navigation').getByRole('link').all();
    expect(links).toHaveLength(9);
    for (const link of links) {
      const { x = -1, width = 0 } = (await link.boundingBox()) ?? {};
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(390);
    }
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
