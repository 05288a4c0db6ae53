import { existsSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, type Page, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { type Simulator, createSimulator } from '../../src/simulator/simulator.js';

/** Debian's browsers: the one without windows needs half the processor time. */
const INSTALLED = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const CHROMIUM = process.env['CHROMIUM'] ?? INSTALLED.find((path) => existsSync(path));

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A page with what it has complained about, and what it has asked of other hosts. */
export interface OpenPage {
  readonly page: Page;
  readonly problems: string[];
}

// Connections that end with their simulator are no defect of the page.
const EXPECTED = /Failed to load resource|ERR_CONNECTION|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE/;

/** A browser for the tests of a file. */
export function useBrowser(): { open(options?: BrowserContextOptions): Promise<OpenPage> } {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
      args: FLAGS,
      // Pages that were left stay in memory, as they do for people.
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
    });
  });
  afterAll(() => browser.close());
  return {
    open: async (options = {}) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
      onTestFinished(() => context.close());
      const page = await context.newPage();
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(error.stack ?? error.message));
      page.on('console', (message) => {
        if (message.type() === 'error' && !EXPECTED.test(message.text())) problems.push(message.text());
      });
      page.on('dialog', (dialog) => {
        problems.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on('request', (request) => {
        if (!/^(?:http:\/\/(?:127\.0\.0\.1|localhost):|data:|blob:)/.test(request.url()))
          problems.push(`request: ${request.url()}`);
      });
      return { page, problems };
    },
  };
}

export const WORLD = { engine: 'litesvm', time: 'frozen', history: 200 } as const;

/** A simulator that is served on a free port until the test has ended. */
export async function served(
  config: Parameters<typeof createSimulator>[0] = {},
  options: Parameters<Simulator['listen']>[0] = {},
): Promise<{ sim: Simulator; origin: string }> {
  const sim = await createSimulator({ ...WORLD, ...config });
  onTestFinished(() => sim.close());
  return { sim, origin: (await sim.listen(options)).origin };
}

/** Resolves once the page shows the present view with all its data. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('main').waitFor();
  await page.waitForFunction(() => document.querySelector('.loading') === null);
}

/** Writes a picture of a page into the folder that INSPECTOR_PICTURES names, if it names one. */
export async function pictured(page: Page, name: string): Promise<void> {
  const folder = process.env['INSPECTOR_PICTURES'];
  if (folder === undefined) return;
  const file = `${name.replaceAll(/[^\w-]+/g, '_').slice(-80)}.png`;
  await page.screenshot({ path: join(folder, file), fullPage: true });
}

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The axe rules that a page violates, with the elements: of all rules, or of some. */
export async function accessibilityProblems(page: Page, runOnly = TAGS): Promise<string[]> {
  // Once for each page that is loaded, by the debugger, which the policy of the page does not bind.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(async (rules) => {
    const { axe: checker } = globalThis as unknown as { axe: typeof axe };
    const { violations } = await checker.run(document, { runOnly: rules, resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`),
    );
  }, runOnly);
}

/** Expects that a page does not scroll sideways, once its plots fit the window, and has not complained. */
export async function expectSound({ page, problems }: OpenPage): Promise<void> {
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await expect
    .poll(overflow, { message: `${page.url()} is wider than the window`, timeout: 10_000 })
    .toBeLessThanOrEqual(0);
  expect(problems, page.url()).toEqual([]);
}

/** Megabytes of the page's heap after garbage was collected. */
export async function collected(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
}

/** Opens a dialog by its first button, fills its fields in, and sends it by a button, of the same name by default. */
export async function answerDialog(
  page: Page,
  button: string,
  fields: Readonly<Record<string, string>> = {},
  submit = button,
): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: button, exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  for (const [label, value] of Object.entries(fields))
    await dialog.getByLabel(label, { exact: true }).fill(value);
  await dialog.getByRole('button', { name: submit, exact: true }).click();
}
