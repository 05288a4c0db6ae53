import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AgentClient } from '../../../src/sdk/client/client.js';
import { AgentWallet } from '../../../src/sdk/client/wallet.js';
import { PaymentError, ReceiptVerifier, encodeReceipt, payingFetch } from '../../../src/sdk/x402/index.js';
import { ENGINES, agentWith, world, worldWithAgent } from '../../support/world.js';
import { LossyFetch } from './lossy-fetch.js';
import { ORIGIN, Shop } from './support.js';
import { forAllAsync } from '../../support/for-all.js';

it.each(ENGINES)('a payment to an external wallet on %s can be verified without the bank', async (engine) => {
  const { sim, agent: payer } = await worldWithAgent({ usdc: 50, sol: 2, engine });
  const outsider = AgentWallet.generate();
  const verifier = new ReceiptVerifier(sim.facts.issuerPublicKey);
  for (const [token, amount] of [
    ['USDC', 7.25],
    ['SOL', 0.5],
  ] as const) {
    const { receipt } = await payer.pay({ recipient: outsider.address, amount, token });
    const value = { recipient: outsider.address, pay_to: outsider.address, amount, token };
    expect(verifier.verify(encodeReceipt(receipt))).toMatchObject({ ok: true, value });
  }
  const held = { usdcBase: 7_250_000n, lamports: 500_000_000n };
  expect(await sim.chain.balances(outsider.address)).toEqual(held);
});

describe('x402 over an unreliable network', () => {
  it('never pays twice for one purchase, whichever messages are lost', { tags: ['slow'] }, async () => {
    const sim = await world();
    const wallet = AgentWallet.fromSecretKey(sim.wallets[0]?.secretKey ?? '');
    await agentWith(sim, 0, { usdc: 1_000 });
    const shop = new Shop(sim, await agentWith(sim, 1), { price: { amount: 0.5 } });
    const losses = fc.record({
      pay: fc.tuple(fc.nat(4), fc.nat(4)),
      show: fc.tuple(fc.nat(4), fc.nat(1)),
      ask: fc.nat(2),
      things: fc.integer({ min: 1, max: 3 }),
    });
    await forAllAsync(60, losses, async ({ pay: [payRequests, payAnswers], show, ask, things }) => {
      const bank = new LossyFetch((url, init) => sim.fetch(url, init));
      const line = new LossyFetch(shop.fetch);
      const agent = new AgentClient({ baseUrl: 'http://sim.local/api/v1', wallet, fetch: bank.fetch });
      const before = (await agent.account()).checking.usdc;
      const served = shop.served;
      bank.requests.set('/x402/pay', payRequests);
      bank.answers.set('/x402/pay', payAnswers);
      line.requests.set('+receipt', show[0]);
      line.answers.set('+receipt', show[1]);
      line.answers.set('/thing', ask);
      const pay = payingFetch(line.fetch, agent, { maxAmount: 1, wait: async () => undefined });
      let got = 0;
      for (let attempt = 0; attempt < 20 && got < things; attempt += 1) {
        try {
          if ((await pay(`${ORIGIN}/thing`)).ok) got += 1;
        } catch (error) {
          // Served, but the response was lost: this payment is given up, and the resource bought again.
          const isLost = error instanceof PaymentError && error.details['service_code'] === 'receipt_used';
          if (isLost) await pay.forget(String(error.details['payment']));
        }
      }
      expect(got).toBe(things);
      expect(shop.served - served).toBe(things + show[1]);
      const spent = before - (await agent.account()).checking.usdc;
      expect(spent).toBeCloseTo(0.5 * (shop.served - served), 9);
      expect(await pay.unfinished()).toEqual([]);
    });
    expect(await sim.invariants()).toEqual([]);
  });
});
