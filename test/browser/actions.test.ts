import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Simulator, createSimulator } from '../../src/simulator/simulator.js';
import { type OpenPage, answerDialog, expectSound, settled, WORLD, useBrowser } from './support.js';
import { scenarioOf } from '../../src/cli/recording/to-scenario.js';
import { played, troubles } from '../testing/scenario/played.js';
import { type Town, buildTown } from './town.js';

const browser = useBrowser();
const TIMEOUT_MS = 20_000;

describe('what is done in the page is done in the world:', () => {
  let sim: Simulator;
  let origin: string;
  let town: Town;
  /** Before the tests; each begins there. */
  let start: string;
  let opened: OpenPage;
  let page: Page;

  beforeAll(async () => {
    sim = await createSimulator(WORLD, { toScenario: scenarioOf });
    town = await buildTown(sim);
    origin = (await sim.listen()).origin;
    start = await sim.snapshot();
  });
  beforeEach(async () => {
    opened = await browser.open({ acceptDownloads: true });
    page = opened.page;
  });
  afterEach(async () => {
    await expectSound(opened);
    for (const id of sim.forks()) await sim.dropFork(id);
    await sim.revert(start);
  });
  afterAll(() => sim.close());

  async function show(view: string): Promise<void> {
    await page.goto(`${origin}/inspector/${view}`);
    await settled(page);
  }

  const click = (name: string) =>
    page.getByRole('main').getByRole('button', { name, exact: true }).first().click();

  const answer = (button: string, fields?: Readonly<Record<string, string>>, submit?: string) =>
    answerDialog(page, button, fields, submit);

  /** Expects that the world comes to something. */
  const becomes = (read: () => unknown, expected: unknown) =>
    vi.waitFor(async () => expect(await read()).toEqual(expected), { timeout: TIMEOUT_MS });

  const checking = (wallet: string) => sim.books.of(wallet)?.checking.USDC ?? 0;

  it('the clock is scaled, run, frozen and advanced', async () => {
    await show('');
    await answer('Scale', { Factor: '60' }, 'Set scale');
    await becomes(() => sim.timeMode(), { kind: 'scaled', factor: 60 });
    await click('Run');
    await becomes(() => sim.timeMode().kind, 'real');
    await click('Freeze');
    await becomes(() => sim.timeMode().kind, 'frozen');
    const before = sim.now().getTime();
    await answer('Advance', { By: '2d' }, 'Advance by');
    await becomes(() => sim.now().getTime() - before, 2 * 86_400_000);
  });

  it('prices are set, and wallets funded', async () => {
    await show('');
    await answer('Set rate or price', { Value: '123' });
    await becomes(() => sim.oracle.price('SOL'), 123);
    await answer('Set rate or price', { Value: '7%' });
    await page.getByRole('dialog').getByText('A price is a number of USD').waitFor();
    await page.getByRole('dialog').getByLabel('What').selectOption('Savings rate of USDC');
    await page.getByRole('dialog').getByRole('button', { name: 'Set rate or price' }).click();
    await becomes(() => sim.oracle.apy('USDC'), 0.07);
    expect(sim.oracle.price('SOL')).toBe(123);
    await show(`agents/${town.shop}`);
    const before = checking(town.shop);
    await answer('Fund', { Amount: '25' });
    await becomes(() => checking(town.shop), before + 25);
  });

  it('a wallet is made, whose key is shown on a click only', async () => {
    await show('agents');
    const count = sim.funding.made().length;
    await answer('New wallet', { SOL: '2', USDC: '30' }, 'Create');
    await becomes(() => sim.funding.made().length, count + 1);
    const { secretKey = '' } = sim.funding.made().at(-1) ?? {};
    await page.getByText('secret', { exact: false }).first().waitFor();
    expect(await page.content()).not.toContain(secretKey);
    await page.getByRole('button', { name: /show/i }).click();
    await page.getByText(secretKey).waitFor();
  });

  it('loans are denied, made overdue, cured, paid', async () => {
    await show('loans');
    const status = (id: string) => sim.reviews.loan(id).status;
    await answer('Deny', { Reason: 'thin file' });
    await becomes(() => [status(town.loan), sim.reviews.loan(town.loan).reason], ['denied', 'thin file']);
    const lent = sim.reviews.loans().loans.find((loan) => loan.status === 'active')?.loanId ?? '';
    await show(`loans/${lent}`);
    await answer('Make overdue');
    await becomes(() => status(lent), 'overdue');
    await answer('Cure');
    await becomes(() => status(lent), 'active');
    const owed = sim.reviews.loan(lent).outstanding;
    await answer('Pay', { 'Amount USDC': '10' });
    await becomes(() => Math.round((owed - sim.reviews.loan(lent).outstanding) * 1e6), 10_000_000);
  });

  it('faults are added and removed', async () => {
    await show('faults');
    const count = sim.faults.list().length;
    const form = page.getByRole('form', { name: 'Add a fault' });
    await form.getByLabel('Code').fill('too_many_requests');
    await form.getByLabel('Every', { exact: true }).fill('3');
    await form.getByRole('button', { name: 'Add fault' }).click();
    await becomes(() => sim.faults.list().length, count + 1);
    expect(sim.faults.list().at(-1)).toMatchObject({ code: 'too_many_requests', when: { every: 3 } });
    await page.getByRole('button', { name: `Remove ${sim.faults.list()[0]?.id ?? ''}` }).click();
    await becomes(() => sim.faults.list().length, count);
    await answer('Remove all', {}, 'Remove');
    await becomes(() => sim.faults.list(), []);
  });

  it('snapshots are taken, reverted to and dropped, and worlds forked', async () => {
    await show('worlds');
    const taken = sim.snapshots().length;
    await click('Snapshot');
    await becomes(() => sim.snapshots().length, taken + 1);
    await sim.agent(3).fund(9, 'USDC');
    const forked = page.waitForEvent('popup');
    await click('Fork now');
    await settled(await forked);
    expect(sim.forks()).toHaveLength(1);
    await answer('Revert');
    await becomes(() => checking(sim.agent(3).wallet.address), 0);
    const kept = sim.snapshots().length;
    await click('Drop');
    await becomes(() => sim.snapshots().length, kept - 1);
  });

  it('a request is reverted', async () => {
    const before = sim.events.last;
    await sim.agent(4).fund(9, 'USDC');
    const { requests } = sim.history({ limit: 10 });
    const deposit = requests.find(({ operation }) => operation === 'deposit')?.requestId ?? '';
    expect(sim.events.last).toBeGreaterThan(before);
    await show(`requests/${deposit}`);
    await answer('Revert to before this', {}, 'Revert');
    await becomes(() => checking(sim.agent(4).wallet.address), 0);
  });

  it('the world is exported and imported', async () => {
    await show('worlds');
    const download = page.waitForEvent('download');
    await click('Export');
    const path = await (await download).path();
    expect(readFileSync(path).toString('latin1')).toMatch(/^agent-bank-sim state /);
    await sim.agent(5).fund(9, 'USDC');
    await page.locator('input[type=file]').setInputFiles(path);
    await answer('Import', {}, 'Replace');
    await becomes(() => checking(sim.agent(5).wallet.address), 0);
  });

  it('a recording is started, stopped and downloaded, as it is and as a scenario of this used world', async () => {
    await show('worlds');
    await click('Start recording');
    await becomes(() => sim.recording.state().recording, true);
    await sim.agent(1).fund(1, 'USDC');
    await click('Stop recording');
    await becomes(() => sim.recording.state().recording, false);
    const downloaded = async (button: string) => {
      const download = page.waitForEvent('download');
      await click(button);
      return readFileSync(await (await download).path(), 'utf8');
    };
    expect(await downloaded('Download recording')).toContain('"operation":"deposit"');
    const scenario = await downloaded('Download as scenario');
    expect(scenario).toContain('state: data:');
    expect(troubles(await played(scenario))).toEqual([]);
  });
});
