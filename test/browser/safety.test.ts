import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, createSimulator } from '../../src/simulator/simulator.js';
import { WORLD, expectSound, served, settled, useBrowser } from './support.js';
import { type Town, buildTown, viewsOf } from './town.js';

const browser = useBrowser();

/** Texts that would run when taken for markup, that turn the direction of a line, or that do not end. */
const HOSTILE = [
  '<img src=x onerror="hacked=1">',
  '</script><script>hacked=1</script>',
  '"><svg/onload=hacked=1>',
  "';hacked=1;//",
  '{{hacked=1}}',
  '\u202e\u2066evil\u2069\u0007',
  'محفظة الوكيل',
];
const HOSTILE_TEXT = `${HOSTILE.join(' ')} ${'long'.repeat(60)}`;

describe('hostile texts', () => {
  let sim: Simulator;
  let origin: string;
  let town: Town;

  beforeAll(async () => {
    sim = await createSimulator(WORLD);
    town = await buildTown(sim, {
      memo: HOSTILE_TEXT,
      service: `https://weather.example/${HOSTILE_TEXT}`,
      description: HOSTILE_TEXT,
      fault: HOSTILE_TEXT,
      reason: HOSTILE_TEXT,
    });
    for (const text of HOSTILE) {
      await sim.fetch(`/api/v1/${encodeURIComponent(text)}`);
      await sim.rpc(JSON.stringify({ jsonrpc: '2.0', id: text, method: text, params: [text] }));
      await sim.fetch('/api/v1/agent/auth/challenge', {
        method: 'POST',
        body: JSON.stringify({ wallet: text }),
        headers: { 'idempotency-key': encodeURIComponent(text) },
      });
    }
    origin = (await sim.listen()).origin;
  });
  afterAll(() => sim.close());

  const paths = () => {
    const { requests } = sim.history({ limit: 1_000 });
    const perOperation = new Map(requests.map(({ operation, requestId }) => [operation, requestId]));
    const text = encodeURIComponent(HOSTILE.join(' '));
    return [
      ...viewsOf(town),
      ...['agents', 'requests', 'accounts', 'transactions', 'loans', 'compare'].map(
        (view) => `${view}/${text}?text=${text}&wallet=${text}&from=${text}`,
      ),
      ...[...perOperation.values()].map((requestId) => `requests/${requestId}`),
    ];
  };

  it('stay texts in every view and address, and push nothing off a page, narrow or wide', async () => {
    const opened = await browser.open();
    const { page } = opened;
    for (const path of paths()) {
      await page.goto(`${origin}/inspector/${path}`);
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await settled(page);
        const made = page.locator('img, svg[onload], script:not([src]), [onerror]');
        expect(await made.count(), path).toBe(0);
        expect(await page.evaluate(() => 'hacked' in globalThis), path).toBe(false);
        await expectSound(opened);
      }
      await page.setViewportSize({ width: 1280, height: 900 });
    }
  });

  it('can be typed into every field', async () => {
    const opened = await browser.open();
    const { page } = opened;
    for (const view of viewsOf(town)) {
      await page.goto(`${origin}/inspector/${view}`);
      await settled(page);
      for (const field of await page.getByRole('textbox').or(page.getByRole('searchbox')).all())
        if ((await field.isVisible()) && (await field.isEditable())) await field.fill(HOSTILE[0] ?? '');
      await settled(page);
      expect(await page.locator('img').count(), view).toBe(0);
    }
    expect(opened.problems).toEqual([]);
  });
});

/** Enters the control token that a page asks for. */
async function enter(page: Page, token: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Token' }).fill(token);
  await page.getByRole('button', { name: 'Open' }).click();
}

describe('a control token', () => {
  it('is required before anything of the world is shown, and is stored nowhere', async () => {
    const { sim, origin } = await served({}, { controlToken: 'open sesame' });
    const { payer } = await buildTown(sim);
    const opened = await browser.open();
    const { page } = opened;
    await page.goto(`${origin}/inspector/agents`);
    await enter(page, 'wrong');
    await page.getByRole('alert').getByText('The simulator refuses this token.').waitFor();
    expect(await page.content()).not.toContain(payer.slice(0, 4));
    await enter(page, 'open sesame');
    await page.getByText(payer.slice(0, 4)).first().waitFor();
    const stored = await page.evaluate(async () => [
      localStorage.length,
      sessionStorage.length,
      document.cookie,
      (await indexedDB.databases()).length,
      (await caches.keys()).length,
    ]);
    expect(stored).toEqual([0, 0, '', 0, 0]);
    expect(page.url()).not.toContain('sesame');
    await page.reload();
    await page.getByRole('textbox', { name: 'Token' }).waitFor();
    expect(await page.content()).not.toContain(payer.slice(0, 4));
    expect(opened.problems).toEqual([]);
  });
});

describe('a tab of a fork', () => {
  it('has the token of the page that opened it, and any other page has not', async () => {
    const { sim, origin } = await served({}, { controlToken: 'open sesame' });
    const { payer } = await buildTown(sim);
    const opened = await browser.open();
    const { page } = opened;
    await page.goto(`${origin}/inspector/worlds`);
    await enter(page, 'open sesame');
    const popup = page.waitForEvent('popup');
    await page.getByRole('button', { name: 'Fork now' }).click();
    const fork = await popup;
    await fork.getByText('a separate world').waitFor();
    await fork.goto(`${origin}/w/fork-1/inspector/agents`);
    await fork.getByText(payer.slice(0, 4)).first().waitFor();
    expect(fork.url()).not.toContain('sesame');
    expect(await fork.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])).toEqual([
      0,
      0,
      '',
    ]);
    const alone = await page.context().newPage();
    await alone.goto(`${origin}/w/fork-1/inspector/agents`);
    await alone.getByRole('textbox', { name: 'Token' }).waitFor();
    expect(opened.problems).toEqual([]);
  });

  it('is not given to a page of another site, whoever opened whom', async () => {
    const { origin } = await served({}, { controlToken: 'open sesame' });
    const { page } = await browser.open();
    await page.route('http://evil.localhost/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<p>evil</p>' }),
    );
    await page.goto('http://evil.localhost/');
    const popup = page.waitForEvent('popup');
    await page.evaluate((url) => {
      const heard: unknown[] = [];
      Object.assign(globalThis, { heard });
      addEventListener('message', ({ data }) => heard.push(data));
      const victim = open(url);
      setInterval(() => victim?.postMessage('inspector: token', '*'), 20);
      setInterval(() => victim?.postMessage({ token: 'guess' }, '*'), 20);
    }, `${origin}/inspector/`);
    const victim = await popup;
    await enter(victim, 'open sesame');
    await victim.getByText('Books match chain').first().waitFor();
    expect(await page.evaluate(() => (globalThis as unknown as { heard: unknown[] }).heard)).toEqual([]);
  });
});

describe('a page of another site', () => {
  it('cannot frame the inspector, read it, or run commands; it can link to it', async () => {
    const { sim, origin } = await served();
    const { page } = await browser.open();
    // Chromium takes requests of this page for cross-site ones.
    await page.route('http://evil.localhost/**', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<iframe src="${origin}/inspector/"></iframe><a href="${origin}/inspector/agents" target="_blank" rel="opener">link</a>`,
      }),
    );
    await page.goto('http://evil.localhost/');
    const before = sim.now().getTime();
    const read = await page.evaluate(async (base) => {
      const outcome = (path: string, init?: RequestInit) =>
        fetch(base + path, init).then(
          (answer) => answer.type,
          () => 'refused',
        );
      return Promise.all([
        outcome('/inspector/'),
        outcome('/_sim/v1/wallets'),
        outcome('/_sim/v1/time/advance', { method: 'POST', mode: 'no-cors', body: '{"by":"1d"}' }),
      ]);
    }, origin);
    expect(read.slice(0, 2)).toEqual(['refused', 'refused']);
    expect(sim.now().getTime()).toBe(before);
    expect(page.frames()[1]?.url()).not.toContain('/inspector/');
    const [linked] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'link' }).click(),
    ]);
    await settled(linked);
    expect(await linked.evaluate(() => opener === null)).toBe(true);
  });
});
