import bs58 from 'bs58';
import fc from 'fast-check';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { COMPUTE_BUDGET_PROGRAM } from '../../src/chain/solana/addresses.js';
import { computeUnitLimit, transferTokens } from '../../src/chain/solana/instructions.js';
import { buildTransaction } from '../../src/chain/solana/wire.js';
import type { SimulatorOptions } from '../../src/runtime/config.js';
import { encodeHeader } from '../../src/core/domain/payment-request.js';
import type { Simulator } from '../../src/index.js';
import { type PaywallEnv, honoPaywall } from '../../src/sdk/x402/index.js';
import { keyPairOf } from '../../src/world/keys.js';
import { ENGINES, agentWith, world } from '../support/world.js';
import { StandardPayer, quiet } from './standard-support.js';
import { ORIGIN, Shop, answered, demoShopOf, facilitatorOf } from '../sdk/x402/support.js';

/** A payment of dev wallet 2 as x402-fetch 1.2.0 makes it: limit, price and transfer. It already carries the fee payer's signature. */
function transferWithoutMemo(sim: Simulator, payTo: string, amountBase: bigint): string {
  const payer = keyPairOf(bs58.decode(sim.wallets[2]?.secretKey ?? ''));
  const unitPrice = {
    program: COMPUTE_BUDGET_PROGRAM,
    accounts: [],
    data: Uint8Array.of(3, 1, 0, 0, 0, 0, 0, 0, 0),
  };
  const token = { mint: sim.facts.usdcMint, amountBase, decimals: 6 };
  const transfer = transferTokens(payer.address, payTo, token);
  const { blockhash } = sim.chain.latestBlockhash();
  const signers = [sim.bank.addresses.facilitator, payer];
  const bytes = buildTransaction([computeUnitLimit(20_000), unitPrice, transfer], signers, blockhash);
  return Buffer.from(bytes).toString('base64');
}

async function standard(options: SimulatorOptions = {}) {
  const sim = await world(options);
  const account = await agentWith(sim, 1);
  const shop = new Shop(sim, account, { facilitator: facilitatorOf(sim) });
  const wallet = sim.wallets[2]?.address ?? '';
  const { usdcBase } = await sim.chain.balances(wallet);
  return {
    sim,
    shop,
    account,
    payer: await StandardPayer.of(sim, 2),
    /** What the payer's wallet has spent, in base units of USDC. */
    spent: async () => usdcBase - (await sim.chain.balances(wallet)).usdcBase,
  };
}

/** The code of the answer to a request; null when it was served. */
async function codeOf(
  shop: Shop,
  headers: Record<string, string>,
  path = '/weather',
  init: RequestInit = {},
) {
  return (await answered(await shop.fetch(path, { ...init, headers }))).code;
}

function header(response: Response, name: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(response.headers.get(name) ?? '', 'base64').toString()) as Record<
    string,
    unknown
  >;
}

describe.each(ENGINES)('paywall for standard x402 clients on %s', (engine) => {
  it.each([2, 1] as const)('accepts a payment of version %i and credits the service', async (version) => {
    const { sim, shop, account, payer, spent } = await standard({ engine });
    const response = await payer.buy(shop.fetch, '/weather', version);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ served: 1, payer: sim.wallets[2]?.address });
    const result = header(response, version === 2 ? 'payment-response' : 'x-payment-response');
    expect(result).toMatchObject({ success: true, payer: sim.wallets[2]?.address });
    expect(await spent()).toBe(250_000n);
    expect((await account.account()).checking.usdc).toBe(0.25);
    const { transactions } = await account.transactions({ type: 'x402_receive' });
    expect(transactions).toMatchObject([{ tx_signature: result['transaction'], amount: 0.25 }]);
    expect(shop.problems).toEqual([]);
    expect(await sim.invariants()).toEqual([]);
  });
});

describe('paywall for standard x402 clients', () => {
  it("offers every scheme at once, and only the bank's for SOL or without a facilitator", async () => {
    const { sim, shop, account } = await standard();
    const response = await shop.fetch('/weather?a=b');
    const required = header(response, 'payment-required');
    const { request_id } = ((await response.json()) as { payment_request: { request_id: string } })
      .payment_request;
    expect(required).toMatchObject({
      x402Version: 2,
      resource: { url: `${ORIGIN}/weather?a=b` },
      accepts: [{ scheme: 'exact', amount: '250000', extra: { memo: request_id } }],
    });
    const inSol = new Shop(sim, account, {
      price: { amount: 1, token: 'SOL' },
      facilitator: facilitatorOf(sim),
    });
    const sol = await inSol.fetch('/weather');
    expect(sol.headers.has('payment-required')).toBe(false);
    expect(await sol.json()).not.toHaveProperty('accepts');
    // Without a facilitator it offers nothing to such clients.
    const plain = await new Shop(sim, account).fetch('/weather');
    expect(plain.headers.has('payment-required')).toBe(false);
  });

  it('accepts a payment once, also when presented concurrently', async () => {
    const { shop, payer, spent } = await standard();
    const headers = await payer.sign(await shop.fetch('/weather'));
    const racers = await Promise.all(
      [1, 2, 3].map(async () => answered(await shop.fetch('/weather', { headers }))),
    );
    expect(racers.map(({ code }) => code ?? 'served').toSorted()).toEqual([
      'payment_used',
      'payment_used',
      'served',
    ]);
    expect(await codeOf(shop, headers)).toBe('payment_used');
    expect(await spent()).toBe(250_000n);
    expect(shop.served).toBe(1);
  });

  it('rejects a payment for another resource, body or service, and an expired one', async () => {
    const { sim, account, shop, payer, spent } = await standard();
    const headers = await payer.sign(await shop.fetch('/weather'));
    expect(await codeOf(shop, headers, '/other')).toBe('payment_other_resource');
    const post = { method: 'POST', body: '' };
    expect(await codeOf(shop, headers, '/weather', post)).toBe('payment_other_resource');
    const elsewhere = new Shop(sim, account, { facilitator: facilitatorOf(sim) });
    expect(await codeOf(elsewhere, headers)).toBe('payment_unknown_request');
    await sim.advance('901s');
    expect(await codeOf(shop, headers)).toBe('payment_expired');
    expect(await spent()).toBe(0n);
  });

  it('accepts a version 1 payment without memo once, at the current price only', async () => {
    const price = { amount: 0.25 };
    const { sim, account, spent } = await standard();
    const shop = new Shop(sim, account, { price: () => price, facilitator: facilitatorOf(sim) });
    const { pay_to: payTo } = (await shop.ask('/weather')).asked;
    const signed = (version: 1 | 2) => {
      const transaction = transferWithoutMemo(sim, payTo, 250_000n);
      const scheme = { scheme: 'exact', network: version === 1 ? 'solana' : sim.facts.network };
      const payload = { x402Version: version, ...scheme, accepted: scheme, payload: { transaction } };
      return { [version === 1 ? 'x-payment' : 'payment-signature']: encodeHeader(payload) };
    };
    expect(await codeOf(shop, signed(2))).toBe('payment_unbound');
    price.amount = 0.3;
    expect(await codeOf(shop, signed(1))).toBe('payment_invalid');
    price.amount = 0.25;
    const paid = signed(1);
    expect(await codeOf(shop, paid)).toBeNull();
    expect(await codeOf(shop, paid)).toBe('payment_used');
    expect(await spent()).toBe(250_000n);
    expect((await account.account()).checking.usdc).toBe(0.25);
    const inSol = { price: { amount: 1, token: 'SOL' }, facilitator: facilitatorOf(sim) } as const;
    const sold = new Shop(sim, account, inSol);
    expect(await codeOf(sold, signed(1))).toBe('payment_unbound');
  });

  it('settles nothing when the service failed, and accepts the same payment again', async () => {
    const { shop, payer, spent } = await standard();
    const headers = await payer.sign(await shop.fetch('/weather'));
    shop.status = 500;
    expect((await shop.fetch('/weather', { headers })).status).toBe(500);
    expect(await spent()).toBe(0n);
    shop.status = 200;
    expect((await shop.fetch('/weather', { headers })).status).toBe(200);
    expect(await spent()).toBe(250_000n);
  });

  it('does not serve a payer whose balance is gone at settlement', async () => {
    quiet();
    const { sim, account, payer } = await standard();
    const wallet = sim.wallets[2]?.address ?? '';
    const bank = facilitatorOf(sim);
    const shop = new Shop(sim, account, {
      facilitator: {
        ...bank,
        settle: async (payment) => {
          await sim.setBalance(wallet, 0, 'USDC');
          return bank.settle(payment);
        },
      },
    });
    const response = await payer.buy(shop.fetch, '/weather');
    expect(await answered(response)).toMatchObject({ status: 402, code: 'payment_not_settled' });
    expect((await account.account()).checking.usdc).toBe(0);
  });

  it('keeps a payment valid while the facilitator is unreachable, and charges once when its response is lost', async () => {
    const { sim, account, payer, spent } = await standard();
    const line = { verify: true, settle: true };
    const bank = facilitatorOf(sim);
    const lost = { kind: 'unreachable', reason: 'connection reset' } as const;
    const shop = new Shop(sim, account, {
      facilitator: {
        verify: async (payment) => (line.verify ? bank.verify(payment) : lost),
        settle: async (payment) => {
          const settled = await bank.settle(payment);
          return line.settle ? settled : lost;
        },
      },
    });
    const headers = await payer.sign(await shop.fetch('/weather'));
    const again = async () => answered(await shop.fetch('/weather', { headers }));
    line.verify = false;
    expect(await again()).toMatchObject({ status: 503, code: 'facilitator_unavailable' });
    line.verify = true;
    line.settle = false;
    expect(await again()).toMatchObject({ status: 503, code: 'facilitator_unavailable' });
    line.settle = true;
    expect(await again()).toMatchObject({ status: 200, body: { payer: sim.wallets[2]?.address } });
    expect(await again()).toMatchObject({ status: 402, code: 'payment_used' });
    expect(await spent()).toBe(250_000n);
    expect((await account.account()).checking.usdc).toBe(0.25);
  });

  it.each([2, 1] as const)(
    'serves a payment of version %i once it is confirmed, but none that was settled for another amount',
    async (version) => {
      quiet();
      const { sim, account, shop, payer, spent } = await standard({ confirmationSlots: 2 });
      const headers = await payer.sign(await shop.fetch('/weather'), version);
      const again = async (sent = headers) => answered(await shop.fetch('/weather', { headers: sent }));
      const details = { tx_signature: expect.any(String) };
      for (let round = 0; round < 2; round += 1)
        expect(await again()).toMatchObject({ status: 503, code: 'chain_unavailable', details });
      await sim.advance('1s');
      expect(await again()).toMatchObject({ status: 200, body: { payer: sim.wallets[2]?.address } });
      expect((await account.account()).checking.usdc).toBe(0.25);

      const response = await shop.fetch('/weather');
      const required = (version === 2 ? header(response, 'payment-required') : await response.json()) as {
        accepts: object[];
      };
      const accepts = required.accepts.map((each) => ({ ...each, amount: '1', maxAmountRequired: '1' }));
      const cheap = { ...required, accepts };
      const init = { status: 402, headers: { 'payment-required': encodeHeader(cheap) } };
      const little = await payer.sign(Response.json(cheap, init), version);
      const [sent = ''] = Object.values(little);
      const settle = {
        x402Version: version,
        paymentPayload: JSON.parse(Buffer.from(sent, 'base64').toString()) as object,
        paymentRequirements: accepts[0] ?? {},
      };
      expect(await facilitatorOf(sim).settle(settle)).toMatchObject({ kind: 'pending' });
      expect(await again(little)).toMatchObject({ status: 402, code: 'payment_invalid' });
      expect(await spent()).toBe(250_001n);
    },
  );

  it('rejects malformed and unsupported payments', async () => {
    const { shop, payer } = await standard();
    const signed = await payer.sign(await shop.fetch('/weather'));
    const value = signed['PAYMENT-SIGNATURE'] ?? '';
    const payload = JSON.parse(Buffer.from(value, 'base64').toString()) as Record<string, unknown>;
    const changed = (changes: object) => ({ 'payment-signature': encodeHeader({ ...payload, ...changes }) });
    expect(await codeOf(shop, { 'payment-signature': 'nonsense' })).toBe('payment_malformed');
    expect(await codeOf(shop, { 'x-payment': value })).toBe('payment_malformed');
    expect(await codeOf(shop, changed({ payload: null }))).toBe('payment_malformed');
    expect(await codeOf(shop, changed({ payload: { transaction: 5 } }))).toBe('payment_malformed');
    expect(await codeOf(shop, changed({ payload: { transaction: 'AAAA' } }))).toBe('payment_malformed');
    expect(await codeOf(shop, changed({ payload: { transaction: 'A'.repeat(5_000) } }))).toBe(
      'payment_malformed',
    );
    expect(await codeOf(shop, changed({ accepted: { scheme: 'upto' } }))).toBe('payment_invalid');
    expect(await codeOf(shop, signed)).toBeNull();
  });

  it('works as Hono middleware, including headers and failed settlement', async () => {
    const { sim, shop, payer } = await standard();
    const bank = facilitatorOf(sim);
    const isDown = { value: false };
    const guarded = new Shop(sim, shop.account, {
      facilitator: {
        ...bank,
        settle: async (payment) =>
          isDown.value ? { kind: 'failed', reason: 'told to' } : bank.settle(payment),
      },
    });
    const app = new Hono<PaywallEnv>();
    app.use(honoPaywall(guarded.paywall));
    app.get('/weather', (context) => {
      context.header('x-secret', 'the answer');
      return context.json({ kind: context.get('payment')?.kind });
    });
    const fetch = async (url: string, init?: RequestInit) => app.request(url, init);
    const paid = await payer.buy(fetch, '/weather');
    expect(paid.status).toBe(200);
    expect(header(paid, 'payment-response')).toMatchObject({ success: true });
    expect(await paid.json()).toEqual({ kind: 'standard' });
    isDown.value = true;
    const refused = await payer.buy(fetch, '/weather');
    expect(refused.headers.has('x-secret')).toBe(false);
    expect(refused.headers.has('payment-required')).toBe(true);
    expect(await answered(refused)).toMatchObject({ status: 402, code: 'payment_not_settled' });
  });
});

describe('paywall with tampered standard payments', () => {
  it('rejects every altered transaction, and accepts the original afterwards', async () => {
    const sim = await world();
    const shop = new Shop(sim, await agentWith(sim, 1), { facilitator: facilitatorOf(sim) });
    const headers = await (await StandardPayer.of(sim, 2)).sign(await shop.fetch('/weather'));
    const payload = JSON.parse(Buffer.from(headers['PAYMENT-SIGNATURE'] ?? '', 'base64').toString()) as {
      payload: { transaction: string };
    };
    const transaction = Buffer.from(payload.payload.transaction, 'base64');
    // The first signature is the facilitator's own, which it overwrites.
    const bit = fc.oneof(
      fc.integer({ min: 0, max: 7 }),
      fc.integer({ min: 65 * 8, max: transaction.length * 8 - 1 }),
    );
    await fc.assert(
      fc.asyncProperty(bit, async (at) => {
        const flipped = Buffer.from(transaction);
        flipped[at >> 3] = (flipped[at >> 3] ?? 0) ^ (1 << (at & 7));
        const changed = { transaction: flipped.toString('base64') };
        const sent = encodeHeader({ ...payload, payload: changed });
        const response = await shop.fetch('/weather', { headers: { 'payment-signature': sent } });
        const { status, code } = await answered(response);
        expect(status).toBe(402);
        expect(code).toMatch(/^payment_/);
      }),
      { seed: 402, numRuns: 1_000 },
    );
    expect(shop.served).toBe(0);
    expect((await shop.fetch('/weather', { headers })).status).toBe(200);
  });
});

it('demo service sells to standard x402 clients', async () => {
  const sim = await world();
  const service = sim.agent(1);
  const shop = demoShopOf(sim, service);
  const payer = await StandardPayer.of(sim, 2);
  const response = await payer.buy(async (url, init) => shop(new Request(url, init)), '/weather');
  expect(await response.json()).toMatchObject({ sky: 'clear' });
  expect((await service.account()).checking.usdc).toBe(0.01);
});
