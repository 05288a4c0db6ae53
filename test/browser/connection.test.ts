import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../src/api/server.js';
import { type Simulator, createSimulator } from '../../src/simulator/simulator.js';
import { type OpenPage, WORLD, expectSound, served, settled, useBrowser } from './support.js';

const browser = useBrowser();

describe('the page over a simulator that', () => {
  let sim: Simulator;
  let server: RunningServer;
  let opened: OpenPage;

  beforeEach(async () => {
    sim = await createSimulator(WORLD);
    server = await sim.listen();
  });
  afterEach(() => sim.close());

  const status = (name: string) => opened.page.getByRole('status', { name: `Connection: ${name}` });

  async function openAgents(): Promise<void> {
    opened = await browser.open();
    await opened.page.goto(`${server.origin}/inspector/agents`);
    await status('Live').waitFor();
    await settled(opened.page);
  }

  it('stops says so, keeps what it shows, and goes on when it is served again', async () => {
    await sim.agent(3).fund(123, 'USDC');
    await openAgents();
    const known = sim.agent(3).wallet.address.slice(0, 4);
    await opened.page.getByText(known).first().waitFor();
    await server.close();
    await status('Disconnected').waitFor();
    await opened.page.getByRole('alert').waitFor();
    expect(await opened.page.getByText(known).count()).toBeGreaterThan(0);
    await sim.agent(4).fund(5, 'USDC');
    await sim.listen({ port: server.port });
    await status('Live').waitFor();
    await opened.page.getByText(sim.agent(4).wallet.address.slice(0, 4)).first().waitFor();
    await expectSound(opened);
  });

  it('gives way to another one at its port is replaced by the other', async () => {
    await sim.agent(3).fund(123, 'USDC');
    await openAgents();
    const { address } = sim.agent(3).wallet;
    await opened.page.getByText(address.slice(0, 4)).first().waitFor();
    await sim.close();
    await status('Disconnected').waitFor();
    sim = await createSimulator({ ...WORLD, seed: 'another' });
    await sim.agent(5).fund(7, 'USDC');
    await sim.listen({ port: server.port });
    await status('Live').waitFor();
    await opened.page.getByText(sim.agent(5).wallet.address.slice(0, 4)).first().waitFor();
    await opened.page.getByText(address.slice(0, 4)).first().waitFor({ state: 'detached' });
    await expectSound(opened);
  });

  it('drops a fork says so in the page of the fork', async () => {
    const { id } = await sim.openFork();
    opened = await browser.open();
    await opened.page.goto(`${server.origin}/w/${id}/inspector/`);
    await status('Live').waitFor();
    await sim.dropFork(id);
    await opened.page.getByRole('alert').waitFor();
    await expectSound(opened);
  });
});

describe('pages of one browser', () => {
  /** More than the six connections that a browser opens to an origin. */
  const PAGES = 12;
  const STREAMS = 3;

  const live = (page: Page) => page.getByRole('status', { name: 'Connection: Live' }).waitFor();
  const shows = (page: Page, sim: Simulator, index: number) =>
    page.getByText(sim.agent(index).wallet.address.slice(0, 4)).first().waitFor();

  async function openTabs(urls: readonly string[]): Promise<Page[]> {
    const { page } = await browser.open();
    const tabs = [page];
    while (tabs.length < urls.length) tabs.push(await page.context().newPage());
    for (const [index, tab] of tabs.entries()) {
      await tab.goto(urls[index] ?? '');
      await live(tab);
    }
    return tabs;
  }

  it(`are live in ${PAGES} tabs by three event streams, also when a tab that reads one is closed, and read nothing while hidden`, async () => {
    const { sim, origin } = await served({ limits: { forks: PAGES } });
    const [first, ...others] = await openTabs(Array<string>(PAGES).fill(`${origin}/inspector/agents`));
    await sim.agent(3).fund(123, 'USDC');
    for (const tab of [first, ...others]) if (tab !== undefined) await shows(tab, sim, 3);
    await expect.poll(() => sim.eventStreams.count).toBe(STREAMS);
    await first?.close();
    const before = await sim.snapshot();
    await sim.agent(4).fund(5, 'USDC');
    for (const tab of others) await shows(tab, sim, 4);
    const { address } = sim.agent(4).wallet;
    // At once in all tabs: the message goes after some seconds.
    const messages = others.map((tab) => tab.getByText(`reverted to ${before}`).waitFor());
    await sim.revert(before);
    await Promise.all(messages);
    for (const tab of others) await tab.getByText(address.slice(0, 4)).first().waitFor({ state: 'detached' });
    await expect.poll(() => sim.eventStreams.count).toBe(STREAMS);
    const turn = (hidden: boolean) =>
      Promise.all(
        others.map((tab) =>
          tab.evaluate((value) => {
            Object.defineProperty(document, 'hidden', { value, configurable: true });
            document.dispatchEvent(new Event('visibilitychange'));
          }, hidden),
        ),
      );
    await turn(true);
    await expect.poll(() => sim.eventStreams.count).toBe(0);
    await sim.agent(5).fund(7, 'USDC');
    await turn(false);
    for (const tab of others) await shows(tab, sim, 5);
    await expect.poll(() => sim.eventStreams.count).toBe(STREAMS);
  });

  it(`are live in tabs of ${PAGES} worlds`, async () => {
    const { sim, origin } = await served({ limits: { forks: PAGES } });
    const forks = [];
    while (forks.length < PAGES) forks.push(await sim.openFork());
    const tabs = await openTabs(forks.map(({ id }) => `${origin}/w/${id}/inspector/agents`));
    for (const { fork } of forks) await fork.agent(3).fund(123, 'USDC');
    for (const tab of tabs) await shows(tab, sim, 3);
  });

  it(`are live after ${PAGES} navigations, and ${PAGES} back and forward`, async () => {
    const { sim, origin } = await served({ limits: { forks: PAGES } });
    const opened = await browser.open();
    const { page } = opened;
    const visit = async (index: number) => {
      await page.goto(`${origin}/inspector/agents?search=&page=${index}`);
      await live(page);
    };
    for (let index = 0; index < PAGES; index += 1) await visit(index);
    for (let index = 0; index < PAGES; index += 1) {
      // A page of the cache is not loaded again.
      if (index % 4 === 3) await page.goForward({ waitUntil: 'commit' });
      else await page.goBack({ waitUntil: 'commit' });
      await live(page);
      const before = await sim.snapshot();
      await sim.revert(before);
      await page.getByText(`reverted to ${before}`).waitFor();
      await expectSound(opened);
    }
    await expect.poll(() => sim.eventStreams.count).toBe(1);
  });

  it('say so when no connection is left for them', async () => {
    const { origin } = await served({ limits: { forks: PAGES } });
    const opened = await browser.open();
    const { page } = opened;
    await page.goto(`${origin}/inspector/agents`);
    await live(page);
    await page.route('**/_sim/v1/events**', () => undefined);
    await page.reload();
    await page.getByRole('alert').getByText('does not respond').waitFor();
    expect(await page.getByRole('status', { name: 'Connection: Disconnected' }).count()).toBe(1);
  });
});
