import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { FetchLike } from '../../../src/core/fetch.js';
import { type PayingOptions, payingFetch } from '../../../src/sdk/x402/index.js';
import { URL_OF, paymentErrorOf, trade } from './trade.js';

/** A trade in which `line` carries the requests with a receipt to the shop. */
async function tradeOver(line: (serve: () => Promise<Response>, init: RequestInit) => Promise<Response>) {
  const parts = await trade();
  const fetcher: FetchLike = async (url, init = {}) => {
    const serve = () => parts.shop.fetch(url, init);
    return new Headers(init.headers).has('x-payment-receipt') ? line(serve, init) : serve();
  };
  const buy = (options: Partial<PayingOptions> = {}) =>
    payingFetch(fetcher, parts.agent, { maxAmount: 1, wait: async () => undefined, ...options });
  return { ...parts, buy };
}

/** A body whose first chunk arrives, and whose second one depends on `more`. */
function bodyOf(more: () => Promise<string | null>): ReadableStream<Uint8Array> {
  const chunks = [async () => 'first', more, async () => null];
  return new ReadableStream({
    pull: async (controller) => {
      const text = (await chunks.shift()?.()) ?? null;
      if (text === null) controller.close();
      else controller.enqueue(Buffer.from(text));
    },
  });
}

const broken = bodyOf.bind(null, async () => Promise.reject(new TypeError('terminated')));

describe('a paid response', () => {
  it('is not bought again when its body breaks off', async () => {
    const { buy, spent } = await tradeOver(async (serve) => {
      const response = await serve();
      return response.ok ? new Response(broken(), response) : response;
    });
    const pay = buy();
    const error = await paymentErrorOf((await pay(URL_OF)).text());
    const receipt = { amount: 0.25 };
    expect(error).toMatchObject({ code: 'not_served', isPaid: true, receipt, cause: { name: 'TypeError' } });
    expect(await pay.unfinished()).toMatchObject([{ id: error.details['payment'], receipt }]);
    // The paywall has served it, so it does not accept the receipt again.
    expect(await paymentErrorOf(pay(URL_OF))).toMatchObject({ code: 'refused_after_payment' });
    expect(await spent()).toBe(0.25);
  });

  it('leaves nothing to resume when its body is read to the end, cancelled or not read', async () => {
    const init = { status: 203, statusText: 'Fine', headers: { 'x-mine': 'a' } };
    const { buy, spent } = await tradeOver(async () => {
      const body = bodyOf(async () => ' second');
      return Object.defineProperty(new Response(body, init), 'url', { value: 'there' });
    });
    const pay = buy();
    const response = await pay(URL_OF);
    expect(response).toMatchObject({ status: 203, statusText: 'Fine', url: 'there' });
    expect(response.headers.get('x-mine')).toBe('a');
    expect(await response.text()).toBe('first second');
    await (await pay(URL_OF)).body?.cancel();
    await pay(URL_OF);
    expect(await pay.unfinished()).toEqual([]);
    expect(await spent()).toBe(0.75);
  });

  it('may take longer than timeoutMs once it has begun', async () => {
    const timeoutMs = 300;
    const { buy } = await tradeOver(async (serve, { signal }) => {
      const response = await serve();
      // A timer that started later than the client's.
      const later = AbortSignal.timeout(timeoutMs);
      const body = bodyOf(async () => {
        await once(later, 'abort');
        signal?.throwIfAborted();
        return ' second';
      });
      return new Response(body, response);
    });
    expect(await (await buy({ timeoutMs })(URL_OF)).text()).toBe('first second');
  });

  it('that is a refusal is read for timeoutMs at most', async () => {
    const { buy } = await tradeOver(async (_serve, { signal }) => {
      const body = bodyOf(async () => {
        if (signal?.aborted === false) await once(signal, 'abort');
        signal?.throwIfAborted();
        return null;
      });
      return new Response(body, { status: 402 });
    });
    const error = await paymentErrorOf(buy({ timeoutMs: 300 })(URL_OF));
    expect(error).toMatchObject({ code: 'refused_after_payment', details: { service_code: null } });
  });

  it.each([408, 413, 425, 429, 431])(
    'with status %i turns the request away, so the next call presents the receipt again',
    async (status) => {
      const before = [new Response(null, { status })];
      const { buy, spent } = await tradeOver(async (serve) => before.pop() ?? serve());
      const pay = buy();
      const error = await paymentErrorOf(pay(URL_OF));
      expect(error).toMatchObject({ code: 'not_served', receipt: { amount: 0.25 }, details: { status } });
      expect((await pay(URL_OF)).status).toBe(200);
      expect(await spent()).toBe(0.25);
    },
  );
});
