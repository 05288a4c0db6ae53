import { expect, it } from 'vitest';
import { BankError } from '../../src/sdk/client/client.js';
import type { Payer } from '../../src/sdk/x402/paying/payment-executor.js';
import { payingFetch } from '../../src/sdk/x402/paying/paying-fetch.js';
import { Paywall } from '../../src/sdk/x402/paywall.js';
import { exampleOf } from '../support/markdown.js';
import { world } from '../support/world.js';

const OVER_BUDGET = { code: 'payment_refused', details: { bank_code: 'over_budget' } };

type WithBudget = (bank: Payer, budget: number, now: () => Date) => Payer;

/** The function of the example, without the program around it. */
async function example(): Promise<WithBudget> {
  const code = exampleOf('docs/reference/x402.md', 'withBudget');
  const [made = ''] = /^function withBudget[\s\S]*?^\}$/m.exec(code) ?? [];
  const module = `export default (BankError) => { ${made}\n return withBudget; }`;
  const { default: make } = (await import(
    /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(module)}`
  )) as { default: (error: typeof BankError) => WithBudget };
  return make(BankError);
}

/** A buyer with a budget at a shop that asks for 2 USDC. */
async function shopping(startTime: string, budget: number, price: number) {
  const sim = await world({ startTime });
  const buyer = sim.agent(0);
  await buyer.fund(20, 'USDC');
  const clock = { nowMs: () => sim.now().getTime() };
  const shop = new Paywall({
    bank: sim.agent(1),
    recipient: sim.agent(1).wallet.address,
    issuer: sim.facts.issuerPublicKey,
    price: () => ({ amount: price }),
    clock,
  }).protect(() => new Response('served'));
  const pay = payingFetch(
    async (url, init) => shop(new Request(url, init)),
    (await example())(buyer, budget, () => sim.now()),
    { maxAmount: 5, clock, wait: async () => undefined },
  );
  const buy = (name: string) => pay(`http://shop.local/${name}`);
  const paid = async () => 20 - (await buyer.account()).checking.usdc;
  return { sim, buy, paid };
}

it('the daily budget counts a payment on each day on which it is tried', async () => {
  const { sim, buy, paid } = await shopping('2026-01-01T23:59:59Z', 5, 2);
  sim.faults.add({ endpoint: 'x402Pay', effect: 'drop-connection', when: { times: 3 } });
  await expect(buy('a')).rejects.toMatchObject({ code: 'payment_unknown', isPaid: 'unknown' });
  await sim.advance('1s');
  await buy('b');
  await buy('c');
  expect(await paid()).toBe(4);
  await expect(buy('a')).rejects.toMatchObject({ code: 'payment_unknown' });
  await expect(buy('d')).rejects.toMatchObject(OVER_BUDGET);
  expect(await paid()).toBe(4);
  await sim.advance('22h');
  await expect(buy('a')).rejects.toMatchObject({ code: 'payment_unknown' });
});

it('an unknown payment is repeated on the next day, and counts on both', async () => {
  const { sim, buy, paid } = await shopping('2026-01-01T23:30:00Z', 5, 2);
  await buy('a');
  sim.faults.add({ endpoint: 'x402Pay', effect: 'drop-connection', when: { times: 3 } });
  await expect(buy('b')).rejects.toMatchObject({ code: 'payment_unknown' });
  await expect(buy('c')).rejects.toMatchObject(OVER_BUDGET);
  await sim.advance({ to: '2026-01-02T00:00:00Z' });
  await buy('b');
  await buy('c');
  await expect(buy('d')).rejects.toMatchObject(OVER_BUDGET);
  expect(await paid()).toBe(6);
});

it('the daily budget adds without rounding errors', async () => {
  const { buy, paid } = await shopping('2026-01-01T00:00:00Z', 0.3, 0.1);
  for (const name of ['a', 'b', 'c']) await buy(name);
  await expect(buy('d')).rejects.toMatchObject(OVER_BUDGET);
  expect(await paid()).toBeCloseTo(0.3, 9);
});
