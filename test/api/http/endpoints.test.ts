import { describe, expect, it } from 'vitest';
import { z } from '@hono/zod-openapi';
import { verify as verifyWith } from '../../support/receipts.js';
import { type Endpoint, endpoints } from '../../../src/contract/endpoints.js';
import { DEFAULT_VARIANTS } from '../../../src/core/domain/variants.js';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { ENGINES, RawCaller, agentWith, world } from '../../support/world.js';

/** Checks that an answer has exactly the contract's members, at every depth. */
function strict(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const shape = Object.fromEntries(
      Object.entries(schema.shape).map(([name, member]) => [name, strict(member)]),
    );
    return schema.def.catchall === undefined ? z.strictObject(shape) : z.looseObject(shape);
  }
  if (schema instanceof z.ZodArray) return z.array(strict(schema.element as z.ZodType));
  if (schema instanceof z.ZodNullable) return strict(schema.unwrap() as z.ZodType).nullable();
  return schema;
}

const TABLE: Readonly<Record<string, Endpoint>> = endpoints(DEFAULT_VARIANTS);

function matches(id: string, answer: { status: number; body: unknown }): void {
  expect(answer, id).toMatchObject({ status: 200 });
  const parsed = strict((TABLE[id] as Endpoint).response).safeParse(answer.body);
  expect(parsed.error?.issues ?? [], `${id}: ${JSON.stringify(answer.body)}`).toEqual([]);
}

async function playAll(sim: Simulator): Promise<Set<string>> {
  const seen = new Set<string>();
  const agent = await agentWith(sim, 0, { usdc: 2_000, sol: 5 });
  const bob = await RawCaller.signedIn(sim, 1);
  const caller = await RawCaller.signedIn(sim, 0);
  const play = async (id: string, who: RawCaller, path: string, body?: object) => {
    const { method } = TABLE[id] as Endpoint;
    const answer = await who.send(method, path, body);
    matches(id, answer);
    seen.add(id);
    return answer.body;
  };
  const wallet = agent.wallet.address;
  const asked = await play('challenge', caller, '/agent/auth/challenge', { wallet });
  const message = asked['challenge'] as string;
  await play('verify', caller, '/agent/auth/verify', {
    wallet,
    message,
    signature: agent.wallet.signText(message),
  });
  const tx_signature = await agent.sendToTreasury(10, 'SOL');
  await play('deposit', caller, '/agent/account/deposit', { amount: 10, token: 'SOL', tx_signature });
  await play('savingsDeposit', caller, '/agent/account/savings/deposit', { amount: 1_000, token: 'USDC' });
  await sim.advance('12h');
  await play('collateralBorrow', caller, '/agent/account/collateral/borrow', { amount: 700 });
  await sim.advance('11h');
  await play('collateralRepay', caller, '/agent/account/collateral/repay', { amount: 5_000 });
  await play('savingsWithdraw', caller, '/agent/account/savings/withdraw', { amount: 500, token: 'USDC' });
  await play('account', caller, '/agent/account');
  await play('profile', caller, '/agent/profile');
  await play('eligibility', caller, '/agent/eligibility?amount=150&purpose=task');
  await play('yieldRates', caller, '/agent/account/savings/yield');
  await play('onboard', caller, '/agent/onboard');
  const request = await play('x402Request', bob, '/agent/account/x402/request?amount=3&description=Report');
  const { 'X-Payment-Request': header } = request['headers'] as Record<string, string>;
  const { recipient } = request['payment_request'] as { recipient: string };
  const paid = await play('x402Pay', caller, '/agent/account/x402/pay', {
    recipient,
    amount: 3,
    token: 'USDC',
    payment_request: header,
  });
  expect(verifyWith(paid['receipt'], sim.facts.issuerPublicKey)).toBe(true);
  const received = await play('x402Receive', bob, '/agent/account/x402/receive', {
    tx_signature: paid['tx_signature'],
    expected_amount: 3,
    expected_token: 'USDC',
  });
  expect(received).toMatchObject({ amount: 3, sender: wallet });
  await play('withdraw', caller, '/agent/account/withdraw', { amount: 12.5, token: 'USDC' });
  const applied = await play('loanApply', caller, '/agent/loans', {
    amount: 120,
    purpose: 'task',
    duration: 60,
  });
  const { id } = applied['application'] as { id: string };
  sim.reviews.approve(id);
  await play('loan', caller, `/agent/loans/${id}`);
  await play('loanRepay', caller, `/agent/loans/${id}/repay`, { amount: 20 });
  await play('loans', caller, '/agent/loans');
  await play('transactions', caller, '/agent/account/transactions?limit=100');
  return seen;
}

for (const engine of ENGINES) {
  describe(`all endpoints on ${engine}`, () => {
    it(
      'respond exactly with the members of the contract, and the books equal the chain',
      { timeout: 30_000 },
      async () => {
        const sim = await world({ engine });
        const seen = await playAll(sim);
        expect([...seen].toSorted()).toEqual(Object.keys(TABLE).toSorted());
        expect(await sim.invariants()).toEqual([]);
      },
    );
  });
}

describe('discovery', () => {
  it('publishes agent.json, agents.json, docs and an OpenAPI document with every operation', async () => {
    const sim = await world();
    const read = async (path: string) => (await (await sim.fetch(path)).json()) as Record<string, never>;
    const card = await read('/.well-known/agent.json');
    expect(card).toMatchObject({
      version: '2.0.0',
      url: 'http://sim.local/api/v1',
      authentication: { schemes: ['wallet_signature'] },
      treasury_address: sim.facts.treasury,
      receipt_issuer: sim.facts.issuerPublicKey,
    });
    expect(card).not.toHaveProperty('rpc_url');
    expect((await read('/.well-known/agents.json'))['agents']).toEqual([card]);
    expect(await read('/api/v1/docs')).toMatchObject({
      baseUrl: 'http://sim.local/api/v1',
      version: '2.0.0',
    });
    const { paths } = (await read('/api/v1/openapi.json')) as unknown as { paths: Record<string, object> };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(operations.toSorted()).toEqual(
      Object.values(TABLE)
        .map(({ method, path }) => `${method} ${path}`)
        .toSorted(),
    );
  });

  it('states the RPC while it is served, with its own path for a fork', async () => {
    const sim = await world();
    const { url } = await sim.listenRpc();
    const { id } = await sim.openFork();
    const named = async (path: string) =>
      ((await (await sim.fetch(path)).json()) as { rpc_url?: string }).rpc_url;
    for (const path of ['/.well-known/agent.json', '/api/v1/docs']) {
      expect(await named(path)).toBe(url);
      expect(await named(`/w/${id}${path}`)).toBe(`${url}/w/${id}`);
    }
  });

  it('states the RPC of a server on all addresses by the address of the request', async () => {
    const sim = await world();
    const { port } = await sim.listenRpc({ host: '0.0.0.0' });
    const answer = await sim.fetch('http://192.0.2.7:4020/.well-known/agent.json');
    expect(await answer.json()).toMatchObject({ rpc_url: `http://192.0.2.7:${port}` });
  });
});
