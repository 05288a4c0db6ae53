import { expect, it } from 'vitest';
import { type RequestEvent, eventJson } from '../../../src/runtime/events/event.js';
import type { SimulatorOptions } from '../../../src/runtime/config.js';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { postJson } from '../../support/post-json.js';
import { RawCaller, agentWith, world, worldWithAgent } from '../../support/world.js';

const MOST = 2_048;

/** A world, and the token of an agent with 10 USDC in it. */
async function withAgent(options: SimulatorOptions = { history: 5 }) {
  const sim = await world(options);
  const { token } = await (await agentWith(sim, 0, { usdc: 10 })).signIn();
  return { sim, caller: new RawCaller(sim, token), authorization: `Bearer ${token}` };
}

const eventsOf = (sim: Simulator) => sim.events.page({ after: 0, limit: 1_000 }).events;

/** The inputs of the requests to an interface, as the log has them. */
function inputsOf(sim: Simulator, door: RequestEvent['interface']): unknown[] {
  const bodies = eventsOf(sim).map(({ body }) => body);
  return bodies.flatMap((body) => (body.kind === 'request' && body.interface === door ? [body.input] : []));
}

/** The body of the answer to the request that a response belongs to, as its explanation has it. */
function explained(sim: Simulator, headers: Headers): string | null {
  const found = sim.explain(headers.get('x-request-id') ?? '');
  if (found === null) throw new Error('the request is not remembered');
  return found.answer;
}

async function command(sim: Simulator, path: string, body: object) {
  const response = await sim.fetch(`/_sim/v1${path}`, { method: 'POST', body: JSON.stringify(body) });
  return { headers: response.headers, text: await response.text() };
}

it('a request is explained with the answer that was sent, on a success and on a refusal', async () => {
  const { sim, caller } = await withAgent();
  for (const amount of [4, 400, 'four']) {
    const { body, headers } = await caller.post('/agent/account/withdraw', { amount, token: 'USDC' });
    expect(JSON.parse(explained(sim, headers) ?? '')).toEqual(body);
  }
});

it('answers to commands are held without secret keys, and those of sign-ins not at all', async () => {
  const sim = await world({ history: 5 });
  const made = await command(sim, '/wallets', { SOL: 1 });
  const { address, secretKey } = JSON.parse(made.text) as { address: string; secretKey: string };
  expect(JSON.parse(explained(sim, made.headers) ?? '')).toMatchObject({ address, secretKey: '<secret>' });
  const { token } = await sim.agent(0).signIn();
  const held = eventsOf(sim).map(({ requestId }) => sim.explain(requestId ?? '')?.answer);
  expect(JSON.stringify(held)).not.toContain(secretKey);
  expect(JSON.stringify(held)).not.toContain(token);
  expect(JSON.stringify(held)).not.toContain('wants you to sign in');
});

it('a world that keeps no history holds no answers of the API, which cost it nothing', async () => {
  const { sim, authorization } = await withAgent({});
  const { requestId, body } = await sim.api.call({ operation: 'account', authorization });
  expect(sim.explain(requestId)).toMatchObject({ answer: null });
  expect(body).not.toHaveProperty('json');
});

it('long answers are cut', async () => {
  const { sim, agent } = await worldWithAgent({ usdc: 10, history: 5 });
  for (let saved = 0; saved < 20; saved += 1) await agent.depositSavings({ amount: 0.1, token: 'USDC' });
  const { body, headers } = await (await RawCaller.signedIn(sim, 0)).get('/agent/account/transactions');
  const answer = explained(sim, headers) ?? '';
  expect(answer).toHaveLength(MOST);
  expect(`${JSON.stringify(body).slice(0, MOST - 1)}…`).toBe(answer);
});

it('an answer that a fault has lost is none, and one that it has made is shown', async () => {
  const { sim, caller } = await withAgent();
  const { id } = sim.faults.add({ endpoint: 'account', effect: 'lose-response' });
  await expect(caller.get('/agent/account')).rejects.toThrow(TypeError);
  const lost = eventsOf(sim).at(-1)?.requestId ?? '';
  expect(sim.explain(lost)).toMatchObject({ answer: null });
  sim.faults.clear(id);
  sim.faults.add({ endpoint: 'account', effect: 'replace-response', status: 429 });
  const { body, headers } = await caller.get('/agent/account');
  expect(JSON.parse(explained(sim, headers) ?? '')).toEqual(body);
});

it('a call that a fault refuses before it is handled is explained with its input and what to do', async () => {
  const { sim, caller } = await withAgent();
  sim.faults.add({ endpoint: 'withdraw', effect: 'replace-response' });
  const { headers } = await caller.post('/agent/account/withdraw', { amount: 1, token: 'USDC' });
  const { text = '' } = sim.explain(headers.get('x-request-id') ?? '') ?? {};
  expect(text).toContain('with {"amount":1,"token":"USDC"}');
  expect(text).toContain('repeat the call with the same Idempotency-Key');
});

function rpcCall(url: string, method: string, params: readonly unknown[]): Promise<Response> {
  return postJson(url, { jsonrpc: '2.0', id: 1, method, params });
}

it('a world that keeps no history holds of the answers of the RPC only texts, such as signatures', async () => {
  const sim = await world();
  const address = sim.wallets[0]?.address ?? '';
  const { url } = await sim.listenRpc();
  expect(explained(sim, (await rpcCall(url, 'getBalance', [address])).headers)).toBeNull();
  const airdrop = await rpcCall(url, 'requestAirdrop', [address, 1_000]);
  const { result } = (await airdrop.json()) as { result: string };
  expect(explained(sim, airdrop.headers)).toBe(JSON.stringify(result));
});

it('a call by function is logged with its body, or with its query', async () => {
  const { sim, authorization } = await withAgent();
  const body = { amount: 1, token: 'USDC' };
  await sim.api.call({ operation: 'savingsDeposit', authorization, body });
  await sim.api.call({ operation: 'transactions', authorization, query: { limit: '2' } });
  await sim.api.call({ operation: 'transactions', authorization });
  expect(inputsOf(sim, 'api').slice(-3)).toEqual([body, { limit: 2, offset: 0 }, null]);
});

it('an RPC call is logged with its parameters, and explained with its result or error', async () => {
  const sim = await world({ history: 5 });
  const address = sim.wallets[0]?.address ?? '';
  const { url } = await sim.listenRpc();
  const balance = await rpcCall(url, 'getBalance', [address]);
  const { result } = (await balance.json()) as { result: unknown };
  expect(JSON.parse(explained(sim, balance.headers) ?? '')).toEqual(result);
  const wrong = await rpcCall(url, 'getBalance', ['nobody']);
  const { error } = (await wrong.json()) as { error: { code: number; message: string } };
  expect(JSON.parse(explained(sim, wrong.headers) ?? '')).toMatchObject({
    code: error.code,
    message: error.message,
  });
  expect(inputsOf(sim, 'rpc')).toEqual([[address], ['nobody']]);
});

it('an RPC call with large parameters is logged without them', async () => {
  const sim = await world({ history: 5 });
  const { url } = await sim.listenRpc();
  await rpcCall(url, 'getBalance', ['x'.repeat(3_000)]);
  expect(eventsOf(sim).at(-1)?.body).toMatchObject({ input: null });
});

it('answers count towards the bytes of the event log, and are neither in events nor in files', async () => {
  const { sim, caller } = await withAgent();
  const { length } = JSON.stringify((await caller.get('/agent/account')).body);
  const before = sim.events.appendedBytes;
  await caller.get('/agent/account');
  expect(sim.events.appendedBytes - before).toBeGreaterThan(2 * length);
  const last = eventsOf(sim).at(-1);
  expect(last?.body).toMatchObject({
    kind: 'request',
    answer: expect.stringContaining('checking') as string,
  });
  expect(last && eventJson(last)).not.toHaveProperty('answer');
});
