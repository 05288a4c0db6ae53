import { Connection, PublicKey } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { AgentClient } from '../../src/sdk/client/client.js';
import { AgentWallet } from '../../src/sdk/client/wallet.js';
import { ControlClient } from '../../src/api/control/client.js';
import { closed, subscribed } from '../support/waiting.js';
import { ENGINES, agentWith, world, worldWithAgent } from '../support/world.js';

it('the log of a fork, and of a world from a state file, begins empty', async () => {
  const sim = await world();
  await agentWith(sim, 0, { usdc: 100 });
  expect(sim.events.last).toBeGreaterThan(1);
  const restored = await world({ state: await sim.exportState() });
  for (const other of [await sim.fork(), restored]) {
    expect(other.events.last).toBe(0);
    await other.snapshot();
    expect(other.events.page({ after: 0, limit: 10 }).events).toMatchObject([
      { seq: 1, body: { what: 'snapshot' } },
    ]);
    await other.close();
  }
});

describe.each(ENGINES)('served fork on %s', (engine) => {
  it('is a second world with its own base URL, RPC path and control interface, and shares no state', async () => {
    const { sim, agent } = await worldWithAgent({ usdc: 100, engine });
    const { origin } = await sim.listen();
    const rpc = await sim.listenRpc();
    const control = new ControlClient({ origin });
    const fork = await control.do('fork');
    expect(fork).toEqual({
      id: 'fork-1',
      parent: null,
      baseUrl: `${origin}/w/fork-1/api/v1`,
      controlUrl: `${origin}/w/fork-1/_sim/v1`,
      rpcUrl: `${rpc.url}/w/fork-1`,
    });
    const inFork = new AgentClient({
      baseUrl: fork.baseUrl,
      wallet: AgentWallet.fromSecretKey(sim.wallets[0]?.secretKey as string),
    });
    expect((await inFork.account()).checking.usdc).toBe(100);
    await inFork.withdraw({ amount: 40, token: 'USDC' });
    const controlOfFork = new ControlClient({ origin: fork.baseUrl });
    await controlOfFork.do('advance', { body: { by: '30d' } });
    await controlOfFork.do('addFault', { body: { endpoint: 'account', effect: 'drop-connection' } });
    expect((await agent.account()).checking.usdc).toBe(100);
    expect(sim.now().toISOString()).toBe('2026-01-01T00:00:00.000Z');
    await expect(inFork.account()).rejects.toThrow('fetch failed');

    const wallet = new PublicKey(sim.wallets[0]?.address as string);
    const slots: number[] = [];
    const [here, there] = [new Connection(rpc.url), new Connection(fork.rpcUrl as string)];
    let listener = -1;
    const heard = new Promise<void>((resolve) => {
      listener = there.onAccountChange(wallet, () => resolve(), 'processed');
    });
    await subscribed(there);
    slots.push(await here.getSlot(), await there.getSlot());
    expect(slots[1]).toBeGreaterThan(slots[0] as number);
    await there.requestAirdrop(wallet, 1_000_000_000);
    await heard;
    await there.removeAccountChangeListener(listener);
    await closed(there);
    expect((await there.getBalance(wallet)) - (await here.getBalance(wallet))).toBe(1_000_000_000);
    expect(await sim.invariants()).toEqual([]);
    expect(await controlOfFork.do('invariants')).toEqual({ violations: [] });

    const again = await control.do('fork', { body: {} });
    expect((await control.do('forks')).forks.map(({ id }) => id)).toEqual(['fork-1', again.id]);
    await control.do('dropFork', { id: 'fork-1' });
    expect((await fetch(`${fork.baseUrl}/agent/onboard`)).status).toBe(404);
    expect((await fetch(fork.rpcUrl as string, { method: 'POST', body: '{}' })).status).not.toBe(200);
    await expect(control.do('dropFork', { id: 'fork-1' })).rejects.toMatchObject({ status: 400 });
  });

  it('starts from a snapshot, and its pages link to itself', async () => {
    const sim = await world({ engine });
    const snapshot = await sim.snapshot();
    await agentWith(sim, 0, { usdc: 100 });
    const { origin } = await sim.listen();
    const { id } = await sim.openFork(snapshot);
    const { fork } = await sim.openFork();
    expect(sim.forks()).toEqual(['fork-1', 'fork-2']);
    const onboard: unknown = await (await fetch(`${origin}/w/${id}/api/v1/agent/onboard`)).json();
    expect(JSON.stringify(onboard)).toContain(`${origin}/w/${id}/api/v1`);
    expect((await fork.agent(0).account()).checking.usdc).toBe(100);
    expect((await fetch(`${origin}/w/fork-9/api/v1/agent/onboard`)).status).toBe(404);
    const nested = await new ControlClient({ origin: `${origin}/w/fork-2` }).do('fork');
    expect(nested).toMatchObject({ baseUrl: `${origin}/w/fork-3/api/v1`, parent: 'fork-2' });
    const { forks } = await new ControlClient({ origin: `${origin}/w/fork-3` }).do('forks');
    expect(forks.map(({ parent }) => parent)).toEqual([null, null, 'fork-2']);
  });
});

it('forks above the limit are rejected with a way to free one', async () => {
  const sim = await world({ limits: { forks: 3 } });
  for (let made = 0; made < 3; made += 1) await sim.openFork();
  await expect(sim.openFork()).rejects.toThrow(/there are 3 forks already; drop some with sim fork drop/);
  await sim.dropFork('fork-1');
  expect((await sim.openFork()).id).toBe('fork-4');
});

it('concurrent forks count towards the limit while they are created, and failed ones do not', async () => {
  const sim = await world({ limits: { forks: 2 } });
  const { origin } = await sim.listen();
  const control = new ControlClient({ origin });
  const asked = await Promise.allSettled(Array.from({ length: 6 }, () => control.do('fork')));
  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  expect(sim.forks()).toHaveLength(2);
  await sim.dropFork('fork-1');
  await expect(control.do('fork', { body: { snapshot: 'none' } })).rejects.toMatchObject({ status: 400 });
  await control.do('fork');
});

it('a request is answered while many forks are created', { tags: ['slow'] }, async () => {
  const sim = await world({ engine: 'litesvm', limits: { forks: 40 } });
  const { origin } = await sim.listen();
  await fetch(origin);
  const ended: string[] = [];
  const request = fetch(`${origin}/_sim/v1/wallets`).then(() => ended.push('request'));
  const making = Array.from({ length: 40 }, () => sim.openFork().then(({ id }) => ended.push(id)));
  await Promise.all([...making, request]);
  expect(ended.indexOf('request')).toBeLessThan(ended.indexOf('fork-20'));
});

it("the control interface of a fork has the same token and origin checks as its world's", async () => {
  const sim = await world();
  const { origin } = await sim.listen({ controlToken: 'sesame' });
  await sim.openFork();
  const status = async (headers: Record<string, string>) =>
    (await fetch(`${origin}/w/fork-1/_sim/v1/wallets`, { headers })).status;
  expect(await status({})).toBe(401);
  expect(await status({ authorization: 'Bearer sesame', origin: 'http://evil.example' })).toBe(403);
  expect(await status({ authorization: 'Bearer sesame' })).toBe(200);
});
