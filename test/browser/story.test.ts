import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createSimulator } from '../../src/simulator/simulator.js';
import { expectSound, originOf, settled, useBrowser } from './support.js';

const browser = useBrowser();

/** Opens a dialog by its button, fills its fields in, and sends it by a button of another name. */
async function answer(page: Page, button: string, fields: Readonly<Record<string, string>>, submit = button) {
  await page.getByRole('button', { name: button, exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  for (const [label, value] of Object.entries(fields))
    await dialog.getByLabel(label, { exact: true }).fill(value);
  await dialog.getByRole('button', { name: submit, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** Waits until a text is seen in the view. */
const seen = (page: Page, text: string | RegExp) => page.getByRole('main').getByText(text).first().waitFor();

it('a person funds an agent, sees why it is refused, sees it succeed in a fork, approves a loan, lets a month pass and exports the books', async () => {
  const sim = await createSimulator({ engine: 'litesvm', time: 'frozen', history: 200 });
  try {
    const origin = await originOf(sim);
    const agent = sim.agent(0);
    await agent.signIn();
    const opened = await browser.open({ acceptDownloads: true });
    const { page } = opened;

    // Fund it, and watch it deposit.
    await page.goto(`${origin}/`);
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('table').getByRole('link').first().click();
    await answer(page, 'Fund', { Amount: '100' });
    await seen(page, '100.00');
    await agent.fund(50, 'USDC');
    await seen(page, '150.00');

    // A refusal and its reason.
    await agent.withdraw({ amount: 500, token: 'USDC' }).catch(() => undefined);
    await page.getByRole('navigation').getByRole('link', { name: 'Timeline' }).click();
    await page.getByRole('searchbox', { name: 'Code' }).fill('refused');
    await page.getByRole('table', { name: 'Events' }).getByRole('link', { name: 'withdraw' }).click();
    await seen(page, 'Rule checking.balance: Checking never falls below zero.');
    await seen(page, /available = 150, requested = 500/);

    // A fork before it, where the balance is raised.
    const popup = page.waitForEvent('popup');
    await page.getByRole('button', { name: 'Fork before this' }).click();
    const fork = await popup;
    await fork.getByRole('button', { name: 'Send it here' }).waitFor();
    await fork.getByRole('main').getByRole('link', { name: '2xCg…jCkN' }).click();
    await answer(fork, 'Fund', { Amount: '400' });
    await seen(fork, '550.00');

    // The same call succeeds there, and here nothing has changed.
    await fork.goBack();
    await fork.getByRole('button', { name: 'Send it here' }).click();
    await fork.getByRole('heading', { level: 1, name: 'withdraw' }).waitFor();
    await seen(fork, 'It succeeded (200).');
    expect((await agent.account()).checking.usdc).toBe(150);
    await fork.getByRole('link', { name: 'Compare with parent' }).click();
    await seen(fork, 'Only in fork-1');

    // A loan.
    const { application } = await agent.applyForLoan({ amount: 120, purpose: 'task', duration: 60 });
    await page.getByRole('link', { name: 'Loans' }).click();
    await answer(page, 'Approve', { Reason: 'known agent' });
    await page.getByRole('table').getByText('active').waitFor();
    expect(sim.reviews.loan(application.id)).toMatchObject({ status: 'active', reason: 'known agent' });

    // A month.
    await page.getByRole('link', { name: 'Overview' }).click();
    await answer(page, 'Advance', { By: '30d' }, 'Advance by');
    await page.getByRole('banner').getByText('2026-01-31 00:00:00').waitFor();

    // The books.
    await page.getByRole('link', { name: 'Journal' }).click();
    await settled(page);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\n');
    expect(Number(lines.at(-1)?.split(',')[0])).toBe(sim.books.entries());
    await page.getByRole('link', { name: 'Books equal chain' }).waitFor();
    await expectSound(opened);
  } finally {
    await sim.close();
  }
});
