import { expect, it, onTestFinished, vi } from 'vitest';
import { listen } from '../../src/api/server.js';
import { parseTransaction } from '../../src/chain/solana/wire.js';
import { encodeHeader } from '../../src/core/domain/payment-request.js';
import type { FetchLike } from '../../src/core/fetch.js';
import { backendHere } from '../../src/mcp/in-process.js';
import { AgentWallet } from '../../src/sdk/client/wallet.js';
import { objectIn } from '../../src/sdk/x402/headers.js';
import type { StandardFacilitator } from '../../src/sdk/x402/ports.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { demoShopOf } from '../sdk/x402/support.js';
import { world } from '../support/world.js';
import { funded, inProcess, outcome, serviceOf, tell } from './support.js';

/** A facilitator that signs as the payer of the fee and submits to the world's chain, without the x402 packages. */
function facilitatorOf(sim: Simulator, events: { settled: number; isLossy?: boolean }): StandardFacilitator {
  const key = AgentWallet.fromSecretKey(sim.bank.addresses.facilitator.secretKey);
  const signed = (payment: { paymentPayload: unknown }): Uint8Array => {
    const { payload } = payment.paymentPayload as { payload: { transaction: string } };
    const bytes = Buffer.from(payload.transaction, 'base64');
    const { message, keys } = parseTransaction(bytes);
    expect(keys[0]).toBe(key.address);
    bytes.set(key.sign(message), 1);
    return bytes;
  };
  return {
    verify: async (payment) => {
      const { error, logs } = await sim.chain.simulateTransaction(signed(payment));
      const { keys } = parseTransaction(signed(payment));
      return error === null
        ? { kind: 'valid', payer: keys[1] ?? '' }
        : { kind: 'invalid', reason: logs.join() };
    },
    settle: async (payment) => {
      const { signature: txSignature } = await sim.chain.sendTransaction(signed(payment));
      events.settled += 1;
      if (events.isLossy === true && events.settled === 1) return { kind: 'unreachable', reason: 'lost' };
      return { kind: 'settled', txSignature, result: { success: true, transaction: txSignature } };
    },
  };
}

async function demoShop(sim: Simulator, facilitator = facilitatorOf(sim, { settled: 0 })) {
  const keeper = sim.agent(5);
  await sim.faucet(keeper.wallet.address, 1, 'USDC');
  return demoShopOf(sim, keeper, { facilitator });
}

/** A service that accepts standard x402, by a version alone where one is given. Returns its URL. */
async function service(
  sim: Simulator,
  facilitator: StandardFacilitator,
  only: 1 | 2 | null = null,
): Promise<string> {
  const shop = await demoShop(sim, facilitator);
  const plain = async (request: Request) => {
    const answer = await shop(request);
    if (answer.status !== 402 || only === null) return answer;
    answer.headers.delete('x-payment-request');
    if (only === 1) answer.headers.delete('payment-required');
    return answer;
  };
  return originOf(plain);
}

/** Serves a function until the end of the test. */
async function originOf(serve: (request: Request) => Promise<Response>): Promise<string> {
  const at = { host: '127.0.0.1', port: 0, allowHosts: [], refused: () => new Response() };
  const server = await listen(serve, at);
  onTestFinished(() => server.close());
  return server.origin;
}

it.each([1, 2, null] as const)(
  'fetch_paid pays by standard x402 from the wallet (version %s alone)',
  async (only) => {
    const sim = await world();
    const events = { settled: 0 };
    const url = `${await service(sim, facilitatorOf(sim, events), only)}/report`;
    const client = await inProcess(sim, { given: { maxSpend: '9USDC' } });
    const before = await sim.chain.balances(sim.wallets[0]?.address ?? '');
    const args = { url, max_amount: 5, ...(only === null ? { pay_from: 'wallet' } : {}) };
    const { content, text, isError } = await tell(client, 'fetch_paid', args);
    expect(isError, text).toBe(false);
    const paid = { amount: 5, token: 'USDC', receipt: { success: true } };
    expect(content).toMatchObject({ status: 200, paid });
    const after = await sim.chain.balances(sim.wallets[0]?.address ?? '');
    expect(before.usdcBase - after.usdcBase).toBe(5_000_000n);
    expect(before.lamports).toBe(after.lamports);
    expect(sim.chain.getTransaction(content['paid'].tx_signature)?.error).toBeNull();
    expect(await outcome(client, 'fetch_paid', args)).toBe('spending_limit_exceeded');
    expect(events.settled).toBe(1);
  },
);

it('a payment by the standard whose settlement was lost is presented again, and never made twice', async () => {
  const sim = await world();
  const events = { settled: 0, isLossy: true };
  const url = `${await service(sim, facilitatorOf(sim, events), 2)}/report`;
  const client = await inProcess(sim, { given: { maxSpend: '9USDC' } });
  const before = await sim.chain.balances(sim.wallets[0]?.address ?? '');
  const buy = (more: object = {}) => outcome(client, 'fetch_paid', { url, max_amount: 5, ...more });
  for (let at = 0; at < 3; at += 1) expect(await buy()).toBe('payment_unknown');
  const after = await sim.chain.balances(sim.wallets[0]?.address ?? '');
  expect(before.usdcBase - after.usdcBase).toBe(5_000_000n);
  expect(await buy({ forget: true })).toBe('spending_limit_exceeded');
});

it('a wallet that holds too little signs nothing, and nothing counts as spent', async () => {
  const sim = await world();
  const events = { settled: 0 };
  const url = `${await service(sim, facilitatorOf(sim, events))}/report`; // costs 5
  const mcp = serviceOf(sim);
  const session = await mcp.sessionAt('0');
  const { address } = session.wallet;
  await sim.setBalance(address, 4.999999, 'USDC');
  const signed = vi.spyOn(session.standard, 'sign');
  const client = await inProcess(sim, { service: mcp, given: { maxSpend: '5USDC', confirmAbove: '1USDC' } });
  const args = { url, max_amount: 5, pay_from: 'wallet' };
  const { content } = await tell(client, 'fetch_paid', args);
  expect(content['error']).toMatchObject({
    code: 'insufficient_balance',
    details: { token: 'USDC', available: 4.999999, requested: 5 },
  });
  expect(signed).not.toHaveBeenCalled();
  await sim.setBalance(address, 5, 'USDC');
  const able = await inProcess(sim, { service: mcp, given: { maxSpend: '5USDC' } });
  expect(await outcome(able, 'fetch_paid', args)).toBe('ok');
  expect(events.settled).toBe(1);
});

it('refuses a service that asks for nothing that the wallet can pay', async () => {
  const { client } = await funded(5);
  const terms = { accepts: [{ scheme: 'exact', network: 'base' }] };
  const origin = await originOf(async () => Response.json(terms, { status: 402 }));
  const args = { url: `${origin}/`, max_amount: 5 };
  expect(await outcome(client, 'fetch_paid', args)).toBe('unsupported_payment');
});

/** A client whose wallet buys from the demo service over `line`, and the USDC that left the wallet. */
async function buyer(sim: Simulator, line: (request: Request) => Promise<Response>) {
  const here = backendHere(sim, (request) => sim.fetch(request));
  const fetchService: FetchLike = (url, init) => line(new Request(url, init));
  const mcp = serviceOf(sim, { ...here, fetchService, wait: async () => undefined });
  const client = await inProcess(sim, { service: mcp });
  const { address } = sim.agent(0).wallet;
  const before = await sim.chain.balances(address);
  return {
    buy: async (path: string, more: object = {}) =>
      (await tell(client, 'fetch_paid', { url: `http://127.0.0.1${path}`, max_amount: 5, ...more })).content,
    spent: async () => Number(before.usdcBase - (await sim.chain.balances(address)).usdcBase) / 1e6,
  };
}

it('a paid response that breaks off in its body is not bought again', async () => {
  const sim = await world();
  const shop = await demoShop(sim);
  const { buy, spent } = await buyer(sim, async (request) => {
    const response = await shop(request);
    const body = new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) });
    return response.ok ? new Response(body, response) : response;
  });
  for (const _call of [1, 2]) {
    const { error } = await buy('/report', { pay_from: 'wallet' });
    expect(error).toMatchObject({ code: 'payment_unknown' });
  }
  expect(await spent()).toBe(5);
});

it('a payment whose response was lost is not forgotten when another one for the same request is served', async () => {
  const sim = await world();
  const shop = await demoShop(sim);
  const payments: string[] = [];
  let loses = true;
  const { buy, spent } = await buyer(sim, async (request) => {
    const payment = request.headers.get('payment-signature');
    if (payment !== null && !payments.includes(payment)) payments.push(payment);
    const response = await shop(request);
    if (loses && payment !== null && payment === payments[1]) throw new TypeError('fetch failed');
    return response;
  });
  const lot = () => buy('/report', { pay_from: 'wallet' });
  const both = await Promise.all([lot(), lot()]);
  const told = both.map(({ status, error }) => status ?? error.code);
  expect(new Set(told)).toEqual(new Set([200, 'payment_unknown']));
  loses = false;
  // The service has settled the lost one, so it refuses the repeat.
  expect((await lot())['error']).toMatchObject({ code: 'payment_unknown' });
  expect([payments.length, await spent()]).toEqual([2, 10]);
});

it('takes the first of several requirements that fits max_amount and recipient', async () => {
  const sim = await world();
  const keeper = sim.agent(1);
  await keeper.account();
  const { headers } = await keeper.requestPayment({ amount: 1, token: 'USDC' });
  const terms = JSON.parse(Buffer.from(headers['PAYMENT-REQUIRED'] ?? '', 'base64').toString());
  const [one] = terms.accepts;
  const others: Record<string, object> = {
    '/dear': { ...one, amount: '9000000' },
    '/stranger': { ...one, payTo: sim.wallets[5]?.address },
  };
  const { buy } = await buyer(sim, async (request) => {
    const payment = request.headers.get('payment-signature');
    if (payment !== null) return Response.json(objectIn(payment)?.['accepted']);
    const accepts = [others[new URL(request.url).pathname], one];
    return new Response(null, {
      status: 402,
      headers: { 'payment-required': encodeHeader({ ...terms, accepts }) },
    });
  });
  for (const path of Object.keys(others)) {
    const { body } = await buy(path, { recipient: one.payTo });
    expect(JSON.parse(body), path).toEqual(one);
  }
  expect((await buy('/dear', { max_amount: 0.5 }))['error']).toMatchObject({ code: 'too_expensive' });
});
