import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AgentClient } from '../../../src/sdk/client/client.js';
import { AgentWallet } from '../../../src/sdk/client/wallet.js';
import type { Simulator } from '../../../src/index.js';
import {
  PaymentError,
  type PaywallOptions,
  ReceiptVerifier,
  encodeReceipt,
  payingFetch,
  rpcProof,
} from '../../../src/sdk/x402/index.js';
import { ENGINES, agentWith, world, worldWithAgent } from '../../support/world.js';
import { LossyFetch } from './lossy-fetch.js';
import { ORIGIN, Shop, outcome } from './support.js';
import { forAllAsync } from '../../support/for-all.js';

const NO_WAIT = { wait: async () => undefined };
const DEAR = { USDC: 2_000, SOL: 100 } as const;

const proofOf = (sim: Simulator) =>
  rpcProof('http://chain.local', async (_url, init) => new Response(await sim.rpc(init?.body as string)));

/** A shop of dev wallet 1 that charges the current `price`. */
async function shopOf(sim: Simulator, price: PaywallOptions['price']): Promise<Shop> {
  return new Shop(sim, await agentWith(sim, 1), { price });
}

describe.each(ENGINES)('x402 round trips on %s', (engine) => {
  it('go from agent to agent and appear in both histories', async () => {
    const { sim, agent: payer } = await worldWithAgent({ usdc: 50, sol: 2, engine });
    for (const [token, amount] of [
      ['USDC', 12.5],
      ['SOL', 0.75],
    ] as const) {
      const shop = await shopOf(sim, { amount, token, description: 'a poem' });
      const pay = payingFetch(shop.fetch, payer, { maxAmount: DEAR });
      expect(await outcome(pay(`${ORIGIN}/poem`))).toBe('served');
      const [out] = (await payer.transactions({ type: 'x402_payment', token })).transactions;
      const [into] = (await shop.account.transactions({ type: 'x402_receive', token })).transactions;
      expect(out).toMatchObject({ amount, counterparty: shop.account.wallet.address });
      expect(into).toMatchObject({ amount, tx_signature: out?.tx_signature });
    }
    expect((await payer.account()).checking).toEqual({ usdc: 37.5, sol: 1.25 });
    expect((await sim.agent(1).account()).checking).toEqual({ usdc: 12.5, sol: 0.75 });
  });

  it('go from an agent to an external wallet that verifies the payment without the bank', async () => {
    const { sim, agent: payer } = await worldWithAgent({ usdc: 50, sol: 2, engine });
    const outsider = AgentWallet.generate();
    const verifier = new ReceiptVerifier(sim.facts.issuerPublicKey);
    for (const [token, amount, amountBase] of [
      ['USDC', 7.25, 7_250_000n],
      ['SOL', 0.5, 500_000_000n],
    ] as const) {
      const { receipt } = await payer.pay({ recipient: outsider.address, amount, token });
      const value = { recipient: outsider.address, pay_to: outsider.address, amount, token };
      expect(verifier.verify(encodeReceipt(receipt))).toMatchObject({ ok: true, value });
      const { tx_signature: signature, pay_to: payTo, asset } = receipt;
      const proof = await proofOf(sim).arrived({ signature, payTo, token, asset });
      expect(proof).toEqual({ kind: 'arrived', amountBase });
    }
    const held = { usdcBase: 7_250_000n, lamports: 500_000_000n };
    expect(await sim.chain.balances(outsider.address)).toEqual(held);
  });

  it('stop at 1000 USD a day in both tokens together, each at its price', async () => {
    const { sim, agent: payer } = await worldWithAgent({ usdc: 1_000, sol: 10, engine });
    const price = { amount: 700, token: 'USDC' as 'USDC' | 'SOL' };
    const shop = await shopOf(sim, () => price);
    const pay = payingFetch(shop.fetch, payer, { maxAmount: DEAR });
    sim.oracle.setPrice('SOL', 100);
    expect(await outcome(pay(`${ORIGIN}/goods`))).toBe('served'); // 700
    Object.assign(price, { amount: 2, token: 'SOL' });
    expect(await outcome(pay(`${ORIGIN}/goods`))).toBe('served'); // 900
    Object.assign(price, { amount: 100, token: 'USDC' });
    sim.oracle.setPrice('USDC', 1.01);
    expect(await outcome(pay(`${ORIGIN}/goods`))).toBe('daily_limit_exceeded');
    sim.oracle.setPrice('USDC', 1);
    expect(await outcome(pay(`${ORIGIN}/goods`))).toBe('served'); // 1000
    expect(await pay.unfinished()).toEqual([]);
  });
});

describe('x402 over an unreliable network', () => {
  it('never pays twice for one purchase, whichever messages are lost', { tags: ['slow'] }, async () => {
    const sim = await world();
    const wallet = AgentWallet.fromSecretKey(sim.wallets[0]?.secretKey ?? '');
    await agentWith(sim, 0, { usdc: 1_000 });
    const shop = await shopOf(sim, { amount: 0.5 });
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
      const pay = payingFetch(line.fetch, agent, { maxAmount: 1, ...NO_WAIT });
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
