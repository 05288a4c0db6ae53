import bs58 from 'bs58';
import { Hono } from 'hono';
import { describe, expect, it, onTestFinished } from 'vitest';
import { USDC_MINTS } from '../../../src/chain/genesis.js';
import {
  type PaymentReceipt,
  canonicalReceipt,
  encodeHeader,
} from '../../../src/core/domain/payment-request.js';
import type { Simulator } from '../../../src/index.js';
import {
  type PaywallOptions,
  type PaywallEnv,
  MemoryStorage,
  Paywall,
  bankAt,
  honoPaywall,
  receiptIssuerOf,
} from '../../../src/sdk/x402/index.js';
import { KeyRing } from '../../../src/world/keys.js';
import { agentWith, world, worldWithAgent } from '../../support/world.js';
import { ORIGIN, Shop, answered, payFor } from './support.js';

async function market(options: Partial<PaywallOptions> | ((sim: Simulator) => Partial<PaywallOptions>) = {}) {
  const { sim, agent: payer } = await worldWithAgent({ usdc: 100, sol: 10 });
  const given = typeof options === 'function' ? options(sim) : options;
  return { sim, payer, shop: new Shop(sim, await agentWith(sim, 1), given) };
}

/** A payment in USDC that is bound to a resource by its URL. */
function boundTo(shop: Shop, path = '/weather') {
  const recipient = shop.account.wallet.address;
  return { recipient, token: 'USDC' as const, service_url: `${ORIGIN}${path}` };
}

describe('Paywall', () => {
  it('accepts a receipt bound by service URL instead of a payment request', async () => {
    const { payer, shop } = await market();
    const { service_url, ...pay } = { ...boundTo(shop, '/weather?city=1'), amount: 0.25 };
    const { receipt } = await payer.pay({ ...pay, service_url });
    expect(receipt.request_id).toBeNull();
    expect(await shop.get('/weather?city=2', receipt)).toMatchObject({ code: 'receipt_other_resource' });
    expect(await shop.get('/weather?city=1', receipt)).toMatchObject({ status: 200 });
    expect(await shop.get('/weather?city=1', receipt)).toMatchObject({ code: 'receipt_used' });
    const unbound = (await payer.pay(pay)).receipt;
    expect(await shop.get('/weather?city=1', unbound)).toMatchObject({ code: 'receipt_unbound' });
  });

  it('accepts a receipt once, also when presented concurrently', async () => {
    const { payer, shop } = await market();
    const receipt = await payFor(payer, await shop.ask('/weather'));
    const racers = await Promise.all([1, 2, 3, 4, 5].map(() => shop.get('/weather', receipt)));
    expect(racers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(racers.filter(({ code }) => code === 'receipt_used')).toHaveLength(4);
    expect(shop.served).toBe(1);
  });

  it('accepts a receipt again after the handler has thrown', async () => {
    const { payer, shop } = await market();
    const receipt = await payFor(payer, await shop.ask('/weather'));
    const headers = { 'x-payment-receipt': encodeHeader(receipt) };
    const crash = shop.paywall.answer(new Request(`${ORIGIN}/weather`, { headers }), () => {
      throw new Error('no weather today');
    });
    await expect(crash).rejects.toThrow('no weather today');
    expect(await shop.get('/weather', receipt)).toMatchObject({ status: 200 });
  });

  it('rejects a receipt for another URL, method or body', async () => {
    const { payer, shop } = await market();
    const receipt = await payFor(payer, await shop.ask('/a?x=1'));
    for (const path of ['/b?x=1', '/a?x=2', '/a', '/a?x=1&y=2'])
      expect(await shop.get(path, receipt)).toMatchObject({ code: 'receipt_other_resource' });
    const post = (body: string) => ({ method: 'POST', body });
    const forBody = await payFor(payer, await shop.ask('/translate', post('short')));
    for (const answer of [
      await shop.get('/a?x=1', receipt, post('')),
      await shop.get('/translate', forBody, post('a long text')),
    ])
      expect(answer).toMatchObject({ code: 'receipt_other_resource' });
    expect(await shop.get('/translate', forBody, post('short'))).toMatchObject({ status: 200 });
    expect(await shop.get('/a?x=1', receipt)).toMatchObject({ status: 200 });
  });

  it('rejects a payment to another recipient, in another token or of a smaller amount', async () => {
    const { sim, payer, shop } = await market();
    const terms = { ...boundTo(shop), amount: 0.25 };
    const cases = [
      [{ recipient: sim.wallets[5]?.address ?? '' }, { status: 402, code: 'receipt_wrong_recipient' }],
      [{ token: 'SOL' }, { status: 402, code: 'receipt_wrong_token' }],
      [{ amount: 0.249999 }, { status: 402, code: 'receipt_too_small' }],
      [{ amount: 0.3 }, { status: 200 }],
    ] as const;
    for (const [changes, outcome] of cases) {
      const { receipt } = await payer.pay({ ...terms, ...changes });
      expect(await shop.get('/weather', receipt)).toMatchObject(outcome);
    }
  });

  it('accepts a receipt until its request has expired and the grace period is over', async () => {
    const { sim, payer, shop } = await market({ graceSeconds: 60 });
    const [early, late] = [
      await payFor(payer, await shop.ask('/weather')),
      await payFor(payer, await shop.ask('/weather')),
    ];
    await sim.advance(659_999);
    expect(await shop.get('/weather', early)).toMatchObject({ status: 200 });
    await sim.advance(1);
    expect(await shop.get('/weather', late)).toMatchObject({ code: 'receipt_expired' });
    const old = (await payer.pay({ ...boundTo(shop), amount: 0.25 })).receipt;
    await sim.advance('660s');
    expect(await shop.get('/weather', old)).toMatchObject({ code: 'receipt_expired' });
  });

  it('accepts a receipt without a payment request once, also when the lifetime of the price grows and after a revert', async () => {
    const price = { amount: 0.25, expiresInSeconds: 60 };
    const { sim, payer, shop } = await market({ price: () => price });
    const buy = async () => (await payer.pay({ ...boundTo(shop), amount: 0.25 })).receipt;
    const used = await buy();
    expect(await shop.get('/weather', used)).toMatchObject({ status: 200 });
    const snapshot = await sim.snapshot();
    await sim.advance('1h');
    price.expiresInSeconds = 86_400;
    expect(await shop.get('/weather', await buy())).toMatchObject({ status: 200 });
    expect(await shop.get('/weather', used)).toMatchObject({ code: 'receipt_used' });
    await sim.advance('30d');
    expect(await shop.get('/weather', await buy())).toMatchObject({ status: 200 });
    // The storage is not attached to the world: the time goes back, and its content stays.
    await sim.revert(snapshot);
    expect(await shop.get('/weather', used)).toMatchObject({ code: 'receipt_used' });
  });

  it('rejects the receipt of a request whose payer has put off its expiry', async () => {
    const { sim, payer, shop } = await market({ graceSeconds: 60 });
    const { asked } = await shop.ask('/weather');
    const later = new Date(Date.parse(asked.expires_at) + 86_400_000).toISOString();
    await sim.advance('11m');
    const receipt = await payFor(payer, { asked, header: encodeHeader({ ...asked, expires_at: later }) });
    expect(await shop.get('/weather', receipt)).toMatchObject({ status: 402, code: 'receipt_expired' });
  });

  it('rejects an unbound receipt dated in the future', async () => {
    const { sim, payer, shop } = await market((made) => {
      const startMs = made.now().getTime();
      return { clock: { nowMs: () => startMs } };
    });
    await sim.advance('301s');
    const { receipt } = await payer.pay({ ...boundTo(shop), amount: 1 });
    expect(await shop.get('/weather', receipt)).toMatchObject({ code: 'receipt_not_yet_valid' });
  });

  it('checks a receipt signed by its bank against the request', async () => {
    const bank = new KeyRing('a bank of another make').derive('issuer');
    const { payer, shop } = await market({ issuer: bank.address });
    const offer = await shop.ask('/weather');
    const paid = await payFor(payer, offer);
    const signed = (changes: Partial<PaymentReceipt>): PaymentReceipt => {
      const receipt = { ...paid, ...changes, issuer: bank.address };
      return { ...receipt, signature: bs58.encode(bank.sign(Buffer.from(canonicalReceipt(receipt)))) };
    };
    const cases: [Partial<PaymentReceipt>, string][] = [
      [{ network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' }, 'receipt_wrong_network'],
      [{ asset: USDC_MINTS.devnet }, 'receipt_wrong_token'],
      [{ issued_at: offer.asked.expires_at }, 'receipt_expired'],
    ];
    for (const [changes, code] of cases)
      expect(await shop.get('/weather', signed(changes)), code).toMatchObject({ status: 402, code });
    expect(await shop.get('/weather', signed({}))).toMatchObject({ status: 200 });
  });

  it('serves a payment of this world only, and an honest payment after one of another world', async () => {
    for (const other of ['fork', 'reverted'] as const) {
      const { sim, payer, shop } = await market();
      const snapshot = await sim.snapshot();
      const elsewhere = other === 'fork' ? await sim.fork(snapshot) : sim;
      if (elsewhere !== sim) onTestFinished(() => elsewhere.close());
      const terms = boundTo(shop);
      const foreign = await elsewhere.agent(0).pay({ ...terms, amount: 0.25 });
      if (other === 'reverted') await sim.revert(snapshot);
      expect(await shop.get('/weather', foreign.receipt), other).toMatchObject({
        status: 402,
        code: 'receipt_not_on_chain',
        details: { tx_signature: foreign.tx_signature },
      });
      expect(shop.served).toBe(0);
      const own = await payer.pay({ ...terms, amount: 0.5 });
      expect(await shop.get('/weather', own.receipt), other).toMatchObject({ status: 200 });
      expect((await shop.account.account()).checking.usdc).toBe(0.5);
    }
  });

  it('serves a payment anew after a revert, though its id repeats', async () => {
    const { sim, payer, shop } = await market();
    const snapshot = await sim.snapshot();
    for (const amount of [0.25, 0.5]) {
      await sim.revert(snapshot);
      const { receipt } = await payer.pay({ ...boundTo(shop), amount });
      expect(await shop.get('/weather', receipt)).toMatchObject({ status: 200 });
    }
  });

  it('knows nothing of a payment after a restart without storage; its owner can credit it', async () => {
    const { sim, payer, shop } = await market();
    const receipt = await payFor(payer, await shop.ask('/weather'));
    const restarted = new Shop(sim, shop.account);
    expect(await restarted.get('/weather', receipt)).toMatchObject({ code: 'receipt_unknown_request' });
    expect((await shop.account.account()).checking.usdc).toBe(0);
    await shop.account.receive({ tx_signature: receipt.tx_signature });
    expect((await shop.account.account()).checking.usdc).toBe(0.25);
  });

  it('serves a receipt that was used in a crash of the handler once its owner releases it', async () => {
    const { sim, payer, shop } = await market();
    const storage = new MemoryStorage({ nowMs: () => sim.now().getTime() });
    const crashing = new Shop(sim, shop.account, { storage });
    const receipt = await payFor(payer, await crashing.ask('/weather'));
    await new Promise<void>((resolve) => {
      const headers = { 'x-payment-receipt': encodeHeader(receipt) };
      void crashing.paywall.answer(new Request(`${ORIGIN}/weather`, { headers }), () => {
        resolve();
        return new Promise<Response>(() => undefined);
      });
    });
    const restarted = new Shop(sim, shop.account, { storage });
    expect(await restarted.get('/weather', receipt)).toMatchObject({ code: 'receipt_used' });
    storage.release(receipt.tx_signature);
    expect(await restarted.get('/weather', receipt)).toMatchObject({ status: 200 });
    expect((await shop.account.account()).checking.usdc).toBe(0.25);
  });

  it('neither serves nor uses up a receipt while the bank does not say whether the payment has arrived', async () => {
    const { sim, payer, shop } = await market();
    const fork = await sim.fork();
    onTestFinished(() => fork.close());
    const foreign = (await fork.agent(0).pay({ ...boundTo(shop), amount: 0.25 })).receipt;
    const own = await payFor(payer, await shop.ask('/weather'));
    for (const [receipt, then] of [
      [foreign, { status: 402, code: 'receipt_not_on_chain' }],
      [own, { status: 200 }],
    ] as const) {
      const busy = { effect: 'replace-response', status: 503, when: { times: 1 } } as const;
      sim.faults.add({ endpoint: 'x402Receive', ...busy });
      const unavailable = { status: 503, code: 'chain_unavailable', asked: null };
      expect(await shop.get('/weather', receipt)).toMatchObject(unavailable);
      expect(await shop.get('/weather', receipt)).toMatchObject(then);
    }
    expect(shop).toMatchObject({ served: 1, problems: [{ status: 503 }, { status: 503 }] });
    expect((await shop.account.account()).checking.usdc).toBe(0.25);
  });

  it('serves a payment from before its account was opened, which went to its wallet, and reports that it is not credited', async () => {
    const { sim, agent: payer } = await worldWithAgent({ usdc: 1 });
    const recipient = sim.wallets[1]?.address ?? '';
    const paid = { recipient, amount: 0.25, token: 'USDC', service_url: `${ORIGIN}/weather` } as const;
    const { receipt } = await payer.pay(paid);
    const shop = new Shop(sim, await agentWith(sim, 1));
    expect(await shop.get('/weather', receipt)).toMatchObject({ status: 200 });
    expect(shop.problems).toMatchObject([{ code: 'transaction_not_to_bank' }]);
  });

  it('serves a receipt once its payment is confirmed', async () => {
    const sim = await world({ confirmationSlots: 2 });
    const payer = sim.agent(0);
    const tx_signature = await payer.sendToTreasury(1, 'USDC');
    await sim.advance('1s');
    await payer.deposit({ amount: 1, token: 'USDC', tx_signature });
    const shop = new Shop(sim, await agentWith(sim, 1));
    const receipt = await payFor(payer, await shop.ask('/weather'));
    expect(await shop.get('/weather', receipt)).toMatchObject({ status: 503, code: 'chain_unavailable' });
    await sim.advance('1s');
    expect(await shop.get('/weather', receipt)).toMatchObject({ status: 200 });
    expect((await shop.account.account()).checking.usdc).toBe(0.25);
  });

  it('answers bank_unavailable, with the reason, when the bank issues no payment request, and throws for mistakes of its owner', async () => {
    const { sim, shop } = await market();
    const shopWith = (options: object) => new Shop(sim, shop.account, options);
    const down = new Shop(sim, shop.account, {
      bank: bankAt('http://nowhere', 'token', () => Promise.reject(new Error('connection refused'))),
    });
    const unavailable = { status: 503, code: 'bank_unavailable', header: null };
    expect(await down.get('/weather')).toMatchObject({ ...unavailable, details: { reason: 'unreachable' } });
    sim.faults.add({ endpoint: 'x402Request', effect: 'replace-response', status: 429, when: { nth: 1 } });
    const busy = { ...unavailable, details: { reason: 'too_many_requests' } };
    expect(await shop.get('/weather')).toMatchObject(busy);
    const mixedUp = new Shop(sim, shop.account, { recipient: sim.wallets[7]?.address ?? '' });
    await expect(mixedUp.get('/weather')).rejects.toThrow('use the client or token of that wallet');
    for (const [price, message] of [
      [undefined, /^price: must be an object such as/],
      [0.25, /^price: must be an object such as/],
      [{ usd: 1 }, /^The amount must be a JSON number/],
      [{ amount: 0 }, /^The amount must be greater than zero/],
      [{ amount: 1, token: 'EUR' }, /^price.token: cannot be EUR/],
    ] as const) {
      expect(() => shopWith({ price })).toThrow(message);
      await expect(shopWith({ price: () => price }).get('/weather')).rejects.toThrow(message);
    }
    const brief = shopWith({ price: { amount: 1, expiresInSeconds: 0 } });
    await expect(brief.get('/weather')).rejects.toMatchObject({ code: 'invalid_request' });
    expect(() => shopWith({ issuer: undefined })).toThrow(/^the issuer's key must be .*, not undefined$/);
    expect(() => shopWith({ graceSecond: 1 })).toThrow(/^graceSecond: .*; did you mean graceSeconds\?$/);
  });

  it('rejects a body above maxBodyBytes', async () => {
    const { shop } = await market({ maxBodyBytes: 10 });
    const post = (body: string) => shop.get('/weather', undefined, { method: 'POST', body });
    expect(await post('0123456789')).toMatchObject({ code: 'payment_required' });
    expect(await post('0123456789+')).toMatchObject({ status: 413, code: 'body_too_large' });
  });

  it('evicts the oldest payment requests at its capacity', async () => {
    const { payer, shop } = await market((sim) => ({
      storage: new MemoryStorage({ nowMs: () => sim.now().getTime() }, 2),
    }));
    const first = await shop.ask('/weather');
    const used = await payFor(payer, await shop.ask('/weather'));
    expect(await shop.get('/weather', used)).toMatchObject({ status: 200 });
    await shop.ask('/weather');
    expect(await shop.get('/weather', await payFor(payer, first))).toMatchObject({
      code: 'receipt_unknown_request',
    });
  });
});

describe('paywall of an external service', () => {
  it('needs only the address of the bank and a token', async () => {
    const { sim, payer, shop } = await market();
    const baseUrl = `${(await sim.listen()).origin}/api/v1/`;
    const { token } = await shop.account.signIn();
    const paywall = new Paywall({
      bank: bankAt(baseUrl, token),
      recipient: shop.account.wallet.address,
      issuer: await receiptIssuerOf(baseUrl),
      price: { amount: 1 },
      clock: { nowMs: () => sim.now().getTime() },
    });
    const app = new Hono<PaywallEnv>();
    app.use('/paid/*', honoPaywall(paywall));
    app.get('/paid/time', (context) => context.json({ by: context.get('payment')?.payer }));
    app.post('/paid/echo', async (context) => context.json(await context.req.json()));
    app.get('/paid/broken', () => {
      throw new Error('broken');
    });
    app.onError((_error, context) => context.json({}, 500));
    app.get('/free', (context) => context.json({ isFree: true }));
    const ask = async (path: string, init: RequestInit = {}) =>
      answered(await app.request(`${ORIGIN}${path}`, init));
    expect(await ask('/free')).toMatchObject({ status: 200 });
    const buy = async (path: string, init: RequestInit = {}) => {
      const { asked, header } = await ask(path, init);
      const receipt = await payFor(payer, { asked: asked as never, header: header as string });
      const headers = { 'x-payment-receipt': encodeHeader(receipt) };
      return async () => ask(path, { ...init, headers });
    };
    const time = await buy('/paid/time');
    expect(await time()).toMatchObject({ status: 200, body: { by: payer.wallet.address } });
    expect(await time()).toMatchObject({ status: 402, code: 'receipt_used' });
    const echo = await buy('/paid/echo', { method: 'POST', body: '{"a":1}' });
    expect(await echo()).toMatchObject({ status: 200, body: { a: 1 } });
    const broken = await buy('/paid/broken');
    expect(await broken()).toMatchObject({ status: 500 });
    expect(await broken()).toMatchObject({ status: 500 });
    expect((await shop.account.account()).checking.usdc).toBe(3);
  });

  it("reports the bank's response when it is refused", async () => {
    const { sim } = await market();
    const bank = bankAt('http://sim.local/api/v1', 'not a token', sim.fetch);
    const refusal = { name: 'BankRefusal', code: 'invalid_token', status: 401 };
    await expect(bank.requestPayment({ amount: 1 })).rejects.toMatchObject(refusal);
    const elsewhere = receiptIssuerOf('http://sim.local/elsewhere', sim.fetch);
    await expect(elsewhere).rejects.toMatchObject({ code: 'not_found' });
  });
});
