import { describe, expect, it } from 'vitest';
import { HOSTILE, type HostileName } from '../../../src/sdk/x402/demo/hostile.js';
import { encodeReceipt, payingFetch } from '../../../src/sdk/x402/index.js';
import { worldWithAgent } from '../../support/world.js';
import { demoShopOf, outcome } from './support.js';

const ORIGIN = 'http://demo.local';

/** The demo service, and a careful agent: it knows the address of the service and has limits. */
async function visit() {
  const { sim, agent } = await worldWithAgent({ usdc: 10, sol: 1 });
  const service = sim.agent(1);
  // What is slow there never responds.
  const shop = demoShopOf(sim, service, { wait: () => new Promise(() => undefined) });
  const fetcher = async (url: string, init?: RequestInit): Promise<Response> => {
    const gone = new Promise<never>((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
    });
    gone.catch(() => undefined);
    return Promise.race([shop(new Request(url, init)), gone]);
  };
  const pay = payingFetch(fetcher, agent, {
    maxAmount: 1,
    recipient: service.wallet.address,
    timeoutMs: 500,
    wait: async () => undefined,
  });
  const spent = async () => Math.round((10 - (await agent.account()).checking.usdc) * 1e6) / 1e6;
  return { sim, agent, service, shop, pay, spent };
}

/** For each hostile service, the outcome of the paying client's successive calls, and the total it spent. */
const EXPECTED: Readonly<Record<HostileName, { calls: readonly string[]; usdc: number }>> = {
  'price-change': { calls: ['refused_after_payment', 'refused_after_payment'], usdc: 0.1 },
  'asks-again': { calls: ['refused_after_payment', 'served'], usdc: 0.1 },
  'wrong-recipient': { calls: ['wrong_recipient', 'wrong_recipient'], usdc: 0 },
  'wrong-token': { calls: ['wrong_token', 'wrong_token'], usdc: 0 },
  malformed: { calls: ['malformed_request', 'malformed_request'], usdc: 0 },
  expired: { calls: ['request_expired', 'request_expired'], usdc: 0 },
  endless: {
    calls: ['refused_after_payment', 'refused_after_payment', 'refused_after_payment'],
    usdc: 0.1,
  },
  // The second attempt of the same call presents the receipt again.
  slow: { calls: ['served'], usdc: 0.1 },
  'error-after-payment': { calls: ['not_served', 'served'], usdc: 0.1 },
  'accepts-twice': { calls: ['served', 'served'], usdc: 0.2 },
};

describe('demo service', () => {
  it('lists its goods and sells them', async () => {
    const { service, shop, pay, spent } = await visit();
    const list = (await (await shop(new Request(`${ORIGIN}/`))).json()) as {
      recipient: string;
      goods: { path: string }[];
      hostile: { path: string; does: string; a_good_agent: string }[];
    };
    expect(list.recipient).toBe(service.wallet.address);
    expect(list.goods.map(({ path }) => path)).toEqual(['/weather', '/report', '/sunshine', '/echo']);
    expect(list.hostile.map(({ path }) => path)).toEqual(
      Object.keys(HOSTILE).map((name) => `/hostile/${name}`),
    );
    expect(await (await pay(`${ORIGIN}/weather`)).json()).toMatchObject({ sky: 'clear' });
    expect(await (await pay(`${ORIGIN}/echo`, { method: 'POST', body: 'hello' })).text()).toBe('hello');
    expect(await outcome(pay(`${ORIGIN}/report`))).toBe('too_expensive');
    expect(await outcome(pay(`${ORIGIN}/sunshine`))).toBe('wrong_token');
    const unknown = await shop(new Request(`${ORIGIN}/nothing`));
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ code: 'not_found', details: { path: '/nothing' } });
    expect(await spent()).toBe(0.03);
    expect((await service.account()).checking.usdc).toBe(0.03);
  });

  it('asks for payment however the path of its goods is written, and for HEAD', async () => {
    const { shop } = await visit();
    for (const path of ['/weather', '/%77eather', '/weathe%72?x=1', '/%72eport']) {
      expect((await shop(new Request(`${ORIGIN}${path}`))).status, path).toBe(402);
      expect((await shop(new Request(`${ORIGIN}${path}`, { method: 'HEAD' }))).status, path).toBe(402);
    }
  });

  for (const name of Object.keys(HOSTILE) as HostileName[]) {
    it(`cannot make the paying client overpay at ${name}`, async () => {
      const { agent, pay, spent } = await visit();
      const { calls, usdc } = EXPECTED[name];
      for (const expected of calls) expect(await outcome(pay(`${ORIGIN}/hostile/${name}`))).toBe(expected);
      expect(await spent()).toBe(usdc);
      expect((await agent.account()).checking.sol).toBe(1);
    });
  }

  it('serves a receipt twice at accepts-twice only', async () => {
    const { agent, service, shop } = await visit();
    const recipient = service.wallet.address;
    const buy = async (path: string, amount: number) => {
      const service_url = `${ORIGIN}${path}`;
      const { receipt } = await agent.pay({ recipient, amount, token: 'USDC', service_url });
      const headers = { 'x-payment-receipt': encodeReceipt(receipt) };
      return async () => (await shop(new Request(service_url, { headers }))).status;
    };
    const twice = await buy('/hostile/accepts-twice', 0.1);
    expect([await twice(), await twice()]).toEqual([200, 200]);
    const once = await buy('/weather', 0.01);
    expect([await once(), await once()]).toEqual([200, 402]);
  });

  it('answers 503 and reports the problem when the bank is unreachable', async () => {
    const { sim, service } = await visit();
    const problems: unknown[] = [];
    const bank = { requestPayment: () => Promise.reject(new Error('down')), receive: async () => null };
    const onProblem = (problem: unknown) => problems.push(problem);
    const shop = demoShopOf(sim, service, { bank, facilitator: null, onProblem });
    for (const path of ['/weather', '/hostile/endless'])
      expect((await shop(new Request(`${ORIGIN}${path}`))).status).toBe(503);
    expect(problems).toHaveLength(2);
  });
});
