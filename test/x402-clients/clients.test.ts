import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { balancesAt } from '../../src/sdk/client/chain-at.js';
import { servingSuite } from '../cli/process.js';
import { lossyFacilitator, payer, service } from './support.js';

const PRICE = 100_000n;
const NETWORK = { network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', networkV1: 'solana' };

it('the x402 packages are installed', () => {
  const installed = existsSync(fileURLToPath(new URL('node_modules', import.meta.url)));
  expect(installed, 'run: npm ci --prefix test/x402-clients').toBe(true);
});

/** They meet HTTP and JSON-RPC only, and `facilitator.test.ts` compares what the engines make of their payments. */
describe('standard x402 clients against sim start', () => {
  const server = servingSuite();

  /** What the programs receive, with the wallets of payer and recipient. */
  function setting(payerAt: number, recipientAt: number) {
    const { ready, origin, agent } = server();
    const { baseUrl, rpcUrl, usdcMint } = ready;
    const [paying, paid] = [ready.wallets[payerAt], ready.wallets[recipientAt]];
    if (paying === undefined || paid === undefined) throw new Error('there are ten dev wallets');
    const holds = async (wallet: string) => (await balancesAt(rpcUrl, { wallet, usdcMint })).usdcBase;
    const common = { ...NETWORK, baseUrl, rpcUrl };
    return {
      service: {
        ...common,
        facilitator: `${origin}/facilitator`,
        payTo: paid.address,
        secretKey: paid.secretKey,
      },
      payer: { ...common, secretKey: paying.secretKey, recipient: paid.address },
      paying: paying.address,
      holds,
      /** What moved from payer to recipient on chain since `before`. */
      moved: async (before: readonly [bigint, bigint]) => [
        before[0] - (await holds(paying.address)),
        (await holds(paid.address)) - before[1],
      ],
      before: async () => [await holds(paying.address), await holds(paid.address)] as const,
      customer: agent(recipientAt),
      agent: agent(payerAt),
    };
  }

  for (const [version, packages] of [
    ['v2', '@x402/fetch pays a service by @x402/hono'],
    ['v1', 'x402-fetch pays a service by x402-hono'],
  ] as const) {
    it(`${packages} through the simulator's facilitator`, async () => {
      const { service: told, payer: pays, before, moved } = setting(0, 1);
      const start = await before();
      const url = `${await service(`service-${version}`, told)}/weather`;
      const purchase = await payer(`payer-${version}`, { ...pays, url });
      expect(purchase).toMatchObject({ status: 200, result: { success: true } });
      expect(JSON.parse(purchase.text)).toEqual({ sky: 'clear' });
      expect(await moved(start)).toEqual([PRICE, PRICE]);
    });

    it(`the ${version} client pays the project's paywall, and the bank credits the service`, async () => {
      const { service: told, payer: pays, holds, paying, customer } = setting(2, 3);
      const [had, credited] = [await holds(paying), (await customer.account()).checking.usdc];
      const url = `${await service('service-ours', told)}/weather`;
      const purchase = await payer(`payer-${version}`, { ...pays, url });
      expect(purchase).toMatchObject({ status: 200, result: { success: true } });
      expect(JSON.parse(purchase.text)).toEqual({ sky: 'clear', by: paying });
      expect(had - (await holds(paying))).toBe(PRICE);
      expect((await customer.account()).checking.usdc - credited).toBeCloseTo(0.1, 9);
      // The same payment buys nothing more.
      const again = await fetch(url, { headers: purchase.payment ?? {} });
      expect(again.status).toBe(402);
      expect(had - (await holds(paying))).toBe(PRICE);
    });

    it(`the ${version} client pays once when the settlement response is lost`, async () => {
      const { service: told, payer: pays, before, moved } = setting(4, 5);
      const start = await before();
      const lossy = await lossyFacilitator(told.facilitator);
      const url = `${await service(`service-${version}`, { ...told, facilitator: lossy.url })}/weather`;
      const purchase = await payer(`payer-${version}`, { ...pays, url });
      expect(purchase.status).not.toBe(200);
      expect(lossy.settled).toHaveLength(1);
      expect(JSON.parse(lossy.settled[0] ?? '')).toMatchObject({ success: true });
      for (const _attempt of [1, 2]) {
        const again = await fetch(url, { headers: purchase.payment ?? {} });
        expect(again.status).not.toBe(200);
      }
      expect(await moved(start)).toEqual([PRICE, PRICE]);
    });
  }

  it("payingFetch pays the project's paywall from a bank account", async () => {
    const { service: told, payer: pays, customer, agent } = setting(6, 7);
    await agent.fund(5, 'USDC');
    const url = `${await service('service-ours', told)}/weather`;
    const purchase = await payer('payer-ours', { ...pays, url });
    expect(purchase.status).toBe(200);
    expect(JSON.parse(purchase.text)).toEqual({ sky: 'clear', by: agent.wallet.address });
    expect((await agent.account()).checking.usdc).toBe(4.9);
    expect((await customer.account()).checking.usdc).toBe(0.1);
    const again = await fetch(url, { headers: purchase.payment ?? {} });
    expect(again.status).toBe(402);
    expect(await again.json()).toMatchObject({ code: 'receipt_used' });
  });
});
