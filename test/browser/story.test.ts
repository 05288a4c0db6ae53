import { readFileSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type Frame, animated } from './animation.js';
import { answerDialog, expectSound, served, settled, useBrowser } from './support.js';

const browser = useBrowser();

/** Answers a dialog, which then closes. */
async function answer(page: Page, ...dialog: [string, Readonly<Record<string, string>>, string?]) {
  await answerDialog(page, ...dialog);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** The file that the story is recorded to, as npm run picture:inspector does. */
const PICTURE = process.env['INSPECTOR_STORY'];
const SCENE_MS = 2_200;
const VIEWPORT = { width: 1_000, height: 640 };

/** The scenes of the story, each with a sentence below it. */
class Recording {
  readonly #frames: Frame[] = [];

  async scene(page: Page, sentence: string): Promise<void> {
    if (PICTURE === undefined) return;
    await page.evaluate((text) => {
      for (const toast of document.querySelectorAll<HTMLButtonElement>('.toasts button')) toast.click();
      const line = document.createElement('div');
      line.id = 'sentence';
      line.textContent = text;
      line.style.cssText =
        'position:fixed;inset:auto 0 0 0;z-index:99;padding:12px 20px;font:600 17px/1.3 sans-serif;color:#fff;background:#1f2430';
      (document.querySelector('dialog[open]') ?? document.body).append(line);
    }, sentence);
    await page.evaluate(() => document.fonts.ready);
    this.#frames.push({ png: await page.screenshot({ animations: 'disabled' }), ms: SCENE_MS });
    await page.evaluate(() => document.querySelector('#sentence')?.remove());
  }

  write(): void {
    if (PICTURE !== undefined) writeFileSync(PICTURE, animated(this.#frames));
  }
}

/** Waits until a text is seen in the view. */
const seen = (page: Page, text: string | RegExp) => page.getByRole('main').getByText(text).first().waitFor();

it('a person funds an agent, sees why it is refused, sees it succeed in a fork, approves a loan, lets a month pass and exports the books', async () => {
  const { sim, origin } = await served();
  const agent = sim.agent(0);
  await agent.signIn();
  const opened = await browser.open({
    acceptDownloads: true,
    ...(PICTURE === undefined ? {} : { viewport: VIEWPORT }),
  });
  const { page } = opened;
  const story = new Recording();

  // Fund it, and watch it deposit.
  await page.goto(`${origin}/`);
  await page.getByRole('link', { name: 'Agents' }).click();
  await page.getByRole('table').getByRole('link').first().click();
  await answer(page, 'Fund', { Amount: '100' });
  await seen(page, '100.00');
  await story.scene(page, 'Fund an agent.');
  await agent.fund(50, 'USDC');
  await seen(page, '150.00');
  await story.scene(page, 'Watch it deposit.');

  // A refusal and its reason.
  await agent.withdraw({ amount: 500, token: 'USDC' }).catch(() => undefined);
  await page.getByRole('navigation').getByRole('link', { name: 'Timeline' }).click();
  await page.getByRole('searchbox', { name: 'Code' }).fill('refused');
  await page.getByRole('table', { name: 'Events' }).getByRole('link', { name: 'withdraw' }).waitFor();
  await story.scene(page, 'A withdrawal was refused.');
  await page.getByRole('table', { name: 'Events' }).getByRole('link', { name: 'withdraw' }).click();
  await seen(page, 'Rule checking.balance: Checking never falls below zero.');
  await seen(page, /available = 150, requested = 500/);
  await story.scene(page, 'Why: the rule, with the numbers of this request.');

  // A fork before it, where the balance is raised.
  const popup = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Fork before this' }).click();
  const fork = await popup;
  if (PICTURE !== undefined) await fork.setViewportSize(VIEWPORT);
  await fork.getByRole('button', { name: 'Send it here' }).waitFor();
  await settled(fork);
  await story.scene(fork, 'What if? Fork the world before this call …');
  await fork.getByRole('main').getByRole('link', { name: '2xCg…jCkN' }).click();
  await answer(fork, 'Fund', { Amount: '400' });
  await seen(fork, '550.00');
  await story.scene(fork, '… raise the balance there …');

  // The same call succeeds there, and here nothing has changed.
  await fork.goBack();
  await fork.getByRole('button', { name: 'Send it here' }).click();
  await fork.getByRole('heading', { level: 1, name: 'withdraw' }).waitFor();
  await seen(fork, 'It succeeded (200).');
  await story.scene(fork, '… and the same call succeeds.');
  expect((await agent.account()).checking.usdc).toBe(150);
  await fork.getByRole('link', { name: 'Compare with parent' }).click();
  await seen(fork, 'Only in fork-1');
  await story.scene(fork, 'What differs between the two worlds.');

  // A loan.
  const { application } = await agent.applyForLoan({ amount: 120, purpose: 'task', duration: 60 });
  await page.getByRole('link', { name: 'Loans' }).click();
  await seen(page, 'for 60 days, task');
  await story.scene(page, 'An agent applies for a loan: here is what speaks for it.');
  await answer(page, 'Approve', { Reason: 'known agent' });
  await page.getByRole('table').getByText('active').waitFor();
  await story.scene(page, 'Approve it.');
  expect(sim.reviews.loan(application.id)).toMatchObject({ status: 'active', reason: 'known agent' });

  // A month.
  await page.getByRole('link', { name: 'Overview' }).click();
  await answer(page, 'Advance', { By: '30d' }, 'Advance by');
  await page.getByRole('banner').getByText('2026-01-31 00:00:00').waitFor();
  await page.locator('.u-legend').first().waitFor();
  await story.scene(page, 'Let a month pass.');

  // The books.
  await page.getByRole('link', { name: 'Journal' }).click();
  await settled(page);
  await story.scene(page, 'Export the books. They equal the chain.');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const lines = readFileSync(await (await download).path(), 'utf8')
    .trim()
    .split('\n');
  expect(Number(lines.at(-1)?.split(',')[0])).toBe(sim.books.entries());
  await page.getByRole('link', { name: 'Books match chain' }).waitFor();
  await expectSound(opened);
  story.write();
});
