import { describe, expect, it, vi } from 'vitest';
import { encodeHeader } from '../../../src/core/domain/payment-request.js';
import type { FetchLike } from '../../../src/core/fetch.js';
import type { AgentClient } from '../../../src/sdk/client/client.js';
import { MemoryPaymentStore, type PayingFetch, payingFetch } from '../../../src/sdk/x402/index.js';
import { agentWith } from '../../support/world.js';
import { ORIGIN, Shop } from './support.js';
import { URL_OF, paymentErrorOf, trade } from './trade.js';

describe('payingFetch', () => {
  it('pays the requested amount and returns the response', async () => {
    const { sim, shop, agent, buy, spent, shopLine } = await trade();
    const pay = buy();
    const response = await pay(URL_OF);
    expect(await response.json()).toEqual({ served: 1, payer: agent.wallet.address });
    expect(shopLine.sent).toEqual(['/weather', '/weather+receipt']);
    expect(await spent()).toBe(0.25);
    expect((await shop.account.account()).checking.usdc).toBe(0.25);
    expect(await pay.unfinished()).toEqual([]);
    // A second purchase is a separate payment.
    await pay(new URL(URL_OF));
    await pay(new Request(URL_OF));
    expect(await spent()).toBe(0.75);
    expect(await sim.invariants()).toEqual([]);
  });

  it('sends method, headers and body with both requests, and pays nothing for a free resource', async () => {
    const { sim, agent, spent } = await trade();
    const seen: unknown[] = [];
    const shop = new Shop(sim, sim.agent(1), {
      price: (request) => (request.method === 'GET' ? null : { amount: 0.5 }),
    });
    const spy: FetchLike = async (url, init) => {
      const { method, headers, body } = new Request(url, init);
      seen.push([method, headers.get('x-mine'), headers.get('content-type'), body === null]);
      return shop.fetch(url, init);
    };
    const pay = payingFetch(spy, agent, { maxAmount: 1 });
    await pay(URL_OF, { headers: { 'x-mine': 'a' } });
    const init = { method: 'POST', body: '{}', headers: { 'x-mine': 'b', 'content-type': 'text/x' } };
    expect((await pay(new Request(URL_OF, init))).status).toBe(200);
    expect(seen).toEqual([
      ['GET', 'a', null, true],
      ['POST', 'b', 'text/x', false],
      ['POST', 'b', 'text/x', false],
    ]);
    expect(await spent()).toBe(0.5);
  });

  it('pays for a URL that is longer than the bank accepts', async () => {
    const { agent, buy } = await trade();
    const pay = buy();
    for (const length of [2_048, 2_049, 9_000]) {
      expect((await pay(`${URL_OF}?`.padEnd(length, 'q'))).status).toBe(200);
      const [last] = (await agent.transactions()).transactions;
      expect(last).toMatchObject({ type: 'x402_payment' });
    }
  });

  it('passes on other statuses, and errors before any payment', async () => {
    const { shop, shopLine, buy } = await trade();
    const notFound = payingFetch(async () => new Response(null, { status: 404 }), shop.account, {
      maxAmount: 1,
    });
    expect((await notFound(URL_OF)).status).toBe(404);
    shopLine.requests.set('/weather', 1);
    await expect(buy()(URL_OF)).rejects.toThrow('connection refused');
  });

  it('takes a number as its limit of USDC alone', async () => {
    const { sim, buy, shop } = await trade();
    for (const [options, message] of [
      [{ maxAmont: 1 }, /^maxAmont: .*did you mean maxAmount\?$/],
      [{ maxAmount: '0.5' }, /^maxAmount: must be a number/],
      [{ maxAmount: Number.NaN }, /^maxAmount: must be a number/],
      [undefined, /^maxAmount: must be a number/],
    ] as const)
      expect(() => payingFetch(shop.fetch, sim.agent(0), options as never)).toThrow(message);
    expect((await buy({ maxAmount: Infinity })(URL_OF)).status).toBe(200);
    const inSol = new Shop(sim, shop.account, { price: { amount: 0.01, token: 'SOL' } });
    const paySol = payingFetch(inSol.fetch, sim.agent(0), { maxAmount: 100 });
    expect(await paymentErrorOf(paySol(URL_OF))).toMatchObject({ code: 'wrong_token', isPaid: false });
  });

  it('pays only the given recipient, or the first one paid for an origin', async () => {
    const { sim, buy, spent, shop } = await trade();
    const stranger = sim.wallets[5]?.address ?? '';
    const details = { recipient: shop.account.wallet.address, expected: stranger };
    for (const recipient of [stranger, () => stranger])
      expect(await paymentErrorOf(buy({ recipient })(URL_OF))).toMatchObject({
        code: 'wrong_recipient',
        details,
      });
    expect(await spent()).toBe(0);
    const other = new Shop(sim, await agentWith(sim, 2));
    const shops = [shop, other, other];
    const pay = payingFetch(async (url, init) => (shops[0] as Shop).fetch(url, init), sim.agent(0), {
      maxAmount: 1,
      recipient: () => null,
    });
    await pay(URL_OF);
    shops.shift();
    expect(await paymentErrorOf(pay(URL_OF))).toMatchObject({ code: 'wrong_recipient' });
    expect((await pay('http://other.local/weather')).status).toBe(200);
  });

  it('pays one recipient when the first payments to an origin are made at once', async () => {
    const { sim, agent, shop, spent } = await trade();
    const other = new Shop(sim, await agentWith(sim, 2));
    const either: FetchLike = (url, init) => (url.endsWith('/other') ? other : shop).fetch(url, init);
    const pay = payingFetch(either, agent, { maxAmount: 1 });
    const both = [pay(URL_OF), paymentErrorOf(pay(`${ORIGIN}/other`))] as const;
    expect(await Promise.all(both)).toMatchObject([{ status: 200 }, { code: 'wrong_recipient' }]);
    expect(await spent()).toBe(0.25);
  });

  it('may pay another recipient when the first payment to an origin was refused', async () => {
    const { sim, agent, shop, spent } = await trade();
    const dear = new Shop(sim, await agentWith(sim, 2), { price: { amount: 50 } });
    const either: FetchLike = (url, init) => (url.endsWith('/dear') ? dear : shop).fetch(url, init);
    const pay = payingFetch(either, agent, { maxAmount: 100 });
    expect(await paymentErrorOf(pay(`${ORIGIN}/dear`))).toMatchObject({ code: 'payment_refused' });
    expect((await pay(URL_OF)).status).toBe(200);
    expect(await spent()).toBe(0.25);
  });

  it('presents the receipt a third time when two requests with it are lost', async () => {
    const { buy, shopLine, spent, waited } = await trade();
    shopLine.requests.set('+receipt', 2);
    expect((await buy()(URL_OF)).status).toBe(200);
    expect([await spent(), waited]).toEqual([0.25, [200, 400]]);
  });

  it('resumes a payment in the next call when no response of the bank arrived', async () => {
    const { bankLine, buy, spent, shopLine } = await trade();
    const pay = buy();
    bankLine.answers.set('/x402/pay', 3);
    expect(await paymentErrorOf(pay(URL_OF))).toMatchObject({ code: 'payment_unknown', isPaid: 'unknown' });
    expect(await spent()).toBe(0.25);
    expect(await pay.unfinished()).toHaveLength(1);
    expect((await pay(URL_OF)).status).toBe(200);
    // It did not request the price again.
    expect(shopLine.sent).toEqual(['/weather', '/weather+receipt']);
    expect(await spent()).toBe(0.25);
  });

  it("does not resume a payment after the bank's idempotency key may have expired", async () => {
    const { sim, shop, agent, bankLine, spent } = await trade();
    const persistent = new Shop(sim, shop.account, { price: { amount: 0.25, expiresInSeconds: 200_000 } });
    const clock = { nowMs: () => sim.now().getTime() };
    const pay = payingFetch(persistent.fetch, agent, { maxAmount: 1, attempts: 1, clock });
    bankLine.answers.set('/x402/pay', 1);
    await paymentErrorOf(pay(URL_OF));
    await sim.advance('25h');
    expect(await paymentErrorOf(pay(URL_OF))).toMatchObject({ code: 'payment_unknown' });
    expect(await spent()).toBe(0.25);
    const [payment] = await pay.unfinished();
    await pay.forget(payment?.id ?? '');
    expect((await pay(URL_OF)).status).toBe(200);
  });

  it('resumes a payment in another process from a shared store', async () => {
    const { bankLine, buy, spent } = await trade();
    const store = new MemoryPaymentStore();
    bankLine.answers.set('/x402/pay', 1);
    await paymentErrorOf(buy({ store, attempts: 1 })(URL_OF));
    expect((await buy({ store })(URL_OF)).status).toBe(200);
    expect(await spent()).toBe(0.25);
  });

  it('resumes a payment within the limits of the call, unless it is known to be paid', async () => {
    const { sim, bankLine, shopLine, buy, spent } = await trade();
    const store = new MemoryPaymentStore();
    bankLine.requests.set('/x402/pay', 1);
    await paymentErrorOf(buy({ store, attempts: 1 })(URL_OF));
    for (const [limits, reason] of [
      [{ maxAmount: 0.1 }, 'too_expensive'],
      [{ recipient: sim.wallets[5]?.address ?? '' }, 'wrong_recipient'],
    ] as const) {
      const error = await paymentErrorOf(buy({ store, ...limits })(URL_OF));
      // An earlier call may have paid, so it is not said that nothing was paid.
      expect(error).toMatchObject({ code: 'payment_unknown', details: { reason }, cause: { code: reason } });
    }
    expect(await spent()).toBe(0);
    shopLine.requests.set('+receipt', 1);
    await paymentErrorOf(buy({ store, attempts: 1 })(URL_OF));
    expect((await buy({ store, maxAmount: 0.1 })(URL_OF)).status).toBe(200);
    expect(await spent()).toBe(0.25);
  });

  it('gives up without a second payment when the paid response is lost', async () => {
    const { shop, shopLine, buy, spent } = await trade();
    const pay = buy();
    shopLine.answers.set('+receipt', 1);
    const error = await paymentErrorOf(pay(URL_OF));
    expect(error).toMatchObject({
      code: 'refused_after_payment',
      isPaid: true,
      details: { service_code: 'receipt_used', payment: expect.any(String) },
      message: expect.stringContaining('forget(details.payment)'),
      receipt: { amount: 0.25 },
    });
    expect(shop.served).toBe(1);
    expect(await paymentErrorOf(pay(URL_OF))).toMatchObject({ code: 'refused_after_payment' });
    expect(await spent()).toBe(0.25);
    const [payment] = await pay.unfinished();
    await pay.forget(payment?.id ?? '');
    expect((await pay(URL_OF)).status).toBe(200);
    expect(await spent()).toBe(0.5);
  });

  it('gives up on a service that times out or whose caller aborts', async () => {
    const { shop, agent, spent } = await trade();
    const abort = new AbortController();
    const slow = (onReceipt: () => void, options: object) => {
      const fetcher: FetchLike = async (url, init) => {
        if (!new Headers(init?.headers).has('x-payment-receipt')) return shop.fetch(url, init);
        onReceipt();
        return new Promise((_resolve, reject) => {
          const fail = () => reject(init?.signal?.reason as Error);
          if (init?.signal?.aborted === true) fail();
          else init?.signal?.addEventListener('abort', fail);
        });
      };
      return payingFetch(fetcher, agent, { maxAmount: 1, ...options });
    };
    const hasty = slow(() => undefined, { attempts: 1, timeoutMs: 300 });
    const error = await paymentErrorOf(hasty(URL_OF));
    expect(error).toMatchObject({ code: 'not_served', isPaid: true, details: { reason: 'no answer' } });
    expect(error.cause).toMatchObject({ name: 'TimeoutError' });
    const patient = slow(() => abort.abort(), {});
    const stopped = await paymentErrorOf(patient(`${ORIGIN}/other`, { signal: abort.signal }));
    expect(stopped).toMatchObject({ code: 'not_served', isPaid: true });
    expect(await spent()).toBe(0.5);
  });

  it('pays nothing when the caller aborted before', async () => {
    const { shop, agent, spent } = await trade();
    const abort = new AbortController();
    const aborting: FetchLike = (url, init) => shop.fetch(url, init).finally(() => abort.abort());
    const pay = payingFetch(aborting, agent, { maxAmount: 1 });
    await expect(pay(URL_OF, { signal: abort.signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(await spent()).toBe(0);
    expect(await pay.unfinished()).toEqual([]);
  });

  it('leaves a payment open when a retry is refused', async () => {
    const { sim, buy, spent } = await trade();
    const pay = buy();
    const faults = (status: number, code?: string) => {
      sim.faults.clear();
      sim.faults.add({ endpoint: 'x402Pay', effect: 'lose-response', when: { nth: 1 } });
      const answer = { endpoint: 'x402Pay', effect: 'replace-response', phase: 'before', status } as const;
      sim.faults.add({ ...answer, ...(code === undefined ? {} : { code }), when: { nth: 2 } });
    };
    // Too many requests: it is retried under the same key.
    faults(429);
    await pay(URL_OF);
    expect(await spent()).toBe(0.25);
    // A refusal leaves the payment open, whatever its code; the next call resumes it.
    for (const [at, code] of ['out_of_order', 'insufficient_balance'].entries()) {
      faults(400, code);
      const error = await paymentErrorOf(pay(URL_OF));
      expect(error).toMatchObject({
        code: 'payment_unknown',
        isPaid: 'unknown',
        details: { bank_code: code },
      });
      expect(await pay.unfinished()).toHaveLength(1);
      sim.faults.clear();
      await pay(URL_OF);
      expect(await spent()).toBe(0.5 + at * 0.25);
      expect(await pay.unfinished()).toEqual([]);
    }
  });

  it('does not retry under an expired idempotency key', async () => {
    const { sim, agent, shopLine, spent } = await trade();
    const clock = { nowMs: () => sim.now().getTime() };
    const wait = async () => void (await sim.advance('25h'));
    const pay = payingFetch(shopLine.fetch, agent, { maxAmount: 1, clock, wait });
    sim.faults.add({ endpoint: 'x402Pay', effect: 'lose-response', when: { nth: 1 } });
    expect(await paymentErrorOf(pay(URL_OF))).toMatchObject({ code: 'payment_unknown' });
    expect(await spent()).toBe(0.25);
    expect(await pay.unfinished()).toHaveLength(1);
  });

  it("reports the bank's refusal and forgets the unpaid purchase", async () => {
    const { sim, shop, agent, buy, spent, bankLine } = await trade();
    const dear = new Shop(sim, shop.account, { price: { amount: 50 } });
    const pay = payingFetch(dear.fetch, agent, { maxAmount: 100 });
    expect(await paymentErrorOf(pay(URL_OF))).toMatchObject({
      code: 'payment_refused',
      isPaid: false,
      details: { bank_code: 'insufficient_balance' },
    });
    expect(await pay.unfinished()).toEqual([]);
    const expiring = new Shop(sim, shop.account, { price: { amount: 0.1, expiresInSeconds: 60 } });
    const late: FetchLike = async (url, init) => {
      const response = await expiring.fetch(url, init);
      await sim.advance('60s');
      return response;
    };
    const clock = { nowMs: () => sim.now().getTime() };
    const asked = () => bankLine.sent.filter((path) => path.endsWith('/x402/pay')).length;
    const before = asked();
    // With a clock of its own it does not call the bank.
    for (const options of [{}, { clock }]) {
      const error = await paymentErrorOf(payingFetch(late, agent, { maxAmount: 1, ...options })(URL_OF));
      expect(error).toMatchObject({ code: 'request_expired' });
      expect(asked() - before).toBe(1);
    }
    expect(await buy().call(null, URL_OF)).toMatchObject({ status: 200 });
    expect(await spent()).toBe(0.25);
  });

  it('does not pay again while the bank itself does not know the outcome of a payment', async () => {
    const { shop, agent } = await trade();
    // A bank that refuses so many payments with such details, and then pays.
    const refusing = (times: number, details: object) => {
      const pay = vi.fn(async (...given: Parameters<AgentClient['pay']>) => {
        if (pay.mock.calls.length > times) return agent.pay(...given);
        throw Object.assign(new Error('refused'), { code: 'chain_unavailable', status: 500, details });
      });
      return { pay, buy: payingFetch(shop.fetch, { pay }, { maxAmount: 1, wait: async () => undefined }) };
    };
    const inDoubt = refusing(Infinity, { tx_signature: 'abc' });
    for (const _attempt of [1, 2]) {
      const error = await paymentErrorOf(inDoubt.buy(URL_OF));
      expect(error).toMatchObject({ code: 'payment_unknown', isPaid: 'unknown' });
    }
    expect(inDoubt.pay).toHaveBeenCalledOnce();
    for (const details of [{ tx_signature: 'abc', status: 'pending' }, {}]) {
      const { pay, buy } = refusing(2, details);
      expect((await buy(`${URL_OF}?${JSON.stringify(details)}`)).status).toBe(200);
      expect(pay).toHaveBeenCalledTimes(3);
    }
  });

  it('makes concurrent purchases, each with its own payment', async () => {
    const { shop, buy, spent } = await trade();
    const pay = buy();
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(async (at) => pay(`${URL_OF}?${at % 3}`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(shop.served).toBe(6);
    expect(await spent()).toBe(1.5);
  });

  it('does not resume a payment that another call is processing', async () => {
    const { shop, agent, spent } = await trade();
    const second: { call: Promise<Response> | null } = { call: null };
    const payer = {
      pay: async (...given: Parameters<AgentClient['pay']>) => {
        // While the first call pays, a second one requests the same resource.
        if (second.call === null) {
          second.call = pay(URL_OF);
          await second.call;
        }
        return agent.pay(...given);
      },
    };
    const pay: PayingFetch = payingFetch(shop.fetch, payer, { maxAmount: 1 });
    expect((await pay(URL_OF)).status).toBe(200);
    expect((await second.call)?.status).toBe(200);
    expect(shop.served).toBe(2);
    expect(await spent()).toBe(0.5);
  });

  it('gives up on a 402 that it cannot pay', async () => {
    const { agent, spent, shop } = await trade();
    const offer = await shop.ask('/weather');
    const withHeaders = (headers: Record<string, string>) => {
      const asking = async () => new Response(null, { status: 402, headers });
      return paymentErrorOf(payingFetch(asking, agent, { maxAmount: 1 })(URL_OF));
    };
    const code = 'unsupported_payment';
    expect(await withHeaders({})).toMatchObject({ code });
    const standard = await withHeaders({ 'payment-required': 'e30=' });
    expect(standard).toMatchObject({ code, details: { is_standard_x402: true } });
    expect(standard.message).toContain('@x402/fetch');
    const nonsense = await withHeaders({ 'x-payment-request': 'nonsense!' });
    expect(nonsense).toMatchObject({ code: 'malformed_request' });
    const times = [{ issued_at: 'now' }, { expires_at: 'soon' }];
    const amounts = [{ amount: '0.25' }, { amount: -1 }, { amount: 0.0000001 }];
    const names = [{ request_id: '' }, { request_id: 7 }, { recipient: 'x' }, { pay_to: null }, { token: 3 }];
    const broken: Record<string, object[]> = {
      malformed_request: [...times, ...amounts, ...names],
      wrong_token: [{ token: 'EURC' }, { asset: shop.account.wallet.address }],
      request_expired: [{ expires_at: offer.asked.issued_at }],
      // The bank itself checks this.
      payment_refused: [{ pay_to: agent.wallet.address }],
    };
    for (const [expected, all] of Object.entries(broken))
      for (const changes of all) {
        const error = await withHeaders({
          'x-payment-request': encodeHeader({ ...offer.asked, ...changes }),
        });
        expect(error, JSON.stringify(changes)).toMatchObject({ code: expected });
      }
    expect(await spent()).toBe(0);
  });

  it('does not pay a second resource that presents the same payment request', async () => {
    const { agent, shop, spent } = await trade();
    const { header } = await shop.ask('/weather');
    const same = async () => new Response(null, { status: 402, headers: { 'x-payment-request': header } });
    const pay = payingFetch(same, agent, { maxAmount: 1 });
    expect(await paymentErrorOf(pay(`${ORIGIN}/a`))).toMatchObject({ code: 'refused_after_payment' });
    expect(await paymentErrorOf(pay(`${ORIGIN}/b`))).toMatchObject({ code: 'malformed_request' });
    expect(await spent()).toBe(0.25);
  });
});
