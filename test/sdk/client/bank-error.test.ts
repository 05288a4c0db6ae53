import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../src/contract/endpoints.js';
import { AgentClient, BankError } from '../../../src/sdk/client/client.js';
import { AgentWallet } from '../../../src/sdk/client/wallet.js';
import { SimulatorWorld } from '../../../src/testing/drivers/in-process.js';
import { world, worldWithAgent } from '../../support/world.js';

async function refusalOf(call: Promise<unknown>): Promise<BankError> {
  const error: unknown = await call.catch((problem: unknown) => problem);
  if (error instanceof BankError) return error;
  throw new Error(`no BankError: ${String(error)}`);
}

it('funding waits for the confirmation while the clock runs, unless a revert undoes it; in scenarios it does not', async () => {
  const sim = await world({ time: 'real', confirmationSlots: 1 });
  for (const at of [0, 1]) await sim.agent(at).fund(5, 'USDC');
  expect((await sim.agent(1).account()).checking.usdc).toBe(5);
  const slow = await world({ time: 'real', confirmationSlots: 1_000 });
  const [snapshot, agent, to] = [await slow.snapshot(), slow.agent(0), slow.facts.treasury];
  const funding = expect(agent.fund(1, 'SOL')).rejects.toThrow(BankError);
  await expect.poll(() => slow.chain.activityOf(agent.wallet.address).transactions).not.toBe(0);
  await Promise.all([slow.revert(snapshot), funding]);
  await agent.wallet.send(new SimulatorWorld(slow).chain, { token: 'SOL', amount: 1, to, usdcMint: '' });
});

describe('BankError', () => {
  it('has code, status and what explains it in its message and stack', async () => {
    const { sim, agent: alice } = await worldWithAgent();
    const error = await refusalOf(alice.withdraw({ amount: 5, token: 'USDC' }, { idempotencyKey: 'ß' }));
    expect(error.message).toBe(
      `The checking balance is too small. (insufficient_balance, HTTP 400; sim.explain('${error.requestId}'))`,
    );
    expect(sim.explain(error.requestId ?? '')?.text).toContain('insufficient_balance');
    expect(error.stack).toContain(error.message);
    expect(error).toMatchObject({
      code: 'insufficient_balance',
      status: 400,
      details: { available: 0, requested: 5 },
    });
  });

  it.each([
    ['http://127.0.0.1:4020/api/v1', 'sim explain req_00000001'],
    ['http://sim.localhost/api/v1', 'sim explain req_00000001 --url http://sim.localhost'],
    ['http://127.0.0.1:4720/api/v1', 'sim explain req_00000001 --url http://127.0.0.1:4720'],
    [
      'http://127.0.0.1:4020/w/fork-1/api/v1',
      'sim explain req_00000001 --url http://127.0.0.1:4020/w/fork-1',
    ],
  ])('names the world at %s to the command that explains it', async (baseUrl, command) => {
    const refusal = { error: 'No.', code: 'invalid_request', requestId: 'req_00000001' };
    const client = new AgentClient({
      baseUrl,
      wallet: AgentWallet.generate(),
      fetch: async () => Response.json(refusal, { status: 400 }),
    });
    const { message } = await refusalOf(client.signIn());
    expect(message).toBe(`No. (invalid_request, HTTP 400; ${command})`);
  });

  it('has the status of a response that is not from the bank', async () => {
    const client = new AgentClient({
      baseUrl: 'http://127.0.0.1/api/v1',
      wallet: AgentWallet.generate(),
      fetch: async () => new Response('<html>', { status: 502, headers: { 'retry-after': '7' } }),
    });
    const error = await refusalOf(client.signIn());
    expect(error.message).toBe('The service did not give a reason. (unknown, HTTP 502)');
    expect(error).toMatchObject({ code: 'unknown', status: 502, retryAfterSeconds: 7, details: {} });
  });
});

describe('AgentClient', () => {
  it.each<[RegExp, unknown, unknown?]>([
    [/^idempotencyKey: goes into an argument after the body/, { idempotencyKey: 'k' }],
    [/^ammount: is not a member of POST .*\/pay; did you mean amount\?$/, { ammount: 1 }],
    [/^idempotencykey: .*; did you mean idempotencyKey\?$/, {}, { idempotencykey: 'k' }],
    [/an object such as \{ idempotencyKey: 'k' \}$/, {}, 'k'],
    [/^idempotencyKey: must be .* of Latin-1 characters, not größe-✓$/, {}, { idempotencyKey: 'größe-✓' }],
  ])('refuses what it would ignore or cannot send: %s', async (message, members, options) => {
    const { agent } = await worldWithAgent();
    const body = { recipient: agent.wallet.address, amount: 1, token: 'USDC' } as const;
    const paid = agent.pay({ ...body, ...(members as object) }, options as { idempotencyKey: string });
    await expect(paid).rejects.toThrow(message);
  });

  it('signs in again after a revert to before its account was opened', async () => {
    const sim = await world();
    const agent = sim.agent(0);
    const before = await sim.snapshot();
    await agent.fund(5, 'USDC');
    await sim.revert(before);
    await agent.fund(3, 'USDC');
    expect((await agent.account()).checking.usdc).toBe(3);
  });

  it('refuses a query with an unknown member', async () => {
    const { agent } = await worldWithAgent();
    await expect(agent.transactions({ limt: 1 } as object)).rejects.toThrow(/^limt: .*did you mean limit\?$/);
    const row = { method: 'GET', path: '/agent/account/transactions', auth: 'bearer' } as Endpoint;
    expect(await agent.call(row, { query: { limit: 1 } })).toMatchObject({ transactions: [] });
    await expect(agent.loan(undefined as unknown as string)).rejects.toThrow(/^id: GET .* needs one$/);
  });

  it('refuses a base URL that is not of HTTP, and a wallet that cannot sign', () => {
    const wallet = AgentWallet.generate();
    expect(new AgentClient({ baseUrl: 'HTTP://bank/', wallet }).baseUrl).toBe('HTTP://bank');
    for (const baseUrl of ['localhost:4020/api/v1', undefined as unknown as string])
      expect(() => new AgentClient({ baseUrl, wallet })).toThrow(
        `must begin with http:// or https://, not ${baseUrl}`,
      );
    const funded = { address: wallet.address, secretKey: wallet.secretKey() } as object as AgentWallet;
    expect(() => new AgentClient({ baseUrl: 'http://bank', wallet: funded })).toThrow(/^wallet: must be/);
  });
});
