import { describe, expect, it } from 'vitest';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { rpcMessage } from '../../api/rpc/support.js';
import { ENGINES, RawCaller, agentWith, world, worldWithAgent } from '../../support/world.js';
import { RATES, from, keepBusy } from './support.js';
import { dumpOf } from '../../support/dump.js';

const plain = (_name: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);

/** What happened in a world, without the numbers of events and requests, which begin anew in every process. */
function happened(sim: Simulator, after: number): object[] {
  const { events } = sim.events.page({ after, limit: 20_000 });
  return events.map(({ atMs, body }) => ({ atMs, body }));
}

/** What a world answers to an agent that has a token already: status and text, without the number of the request. */
async function answers(sim: Simulator, token: string, key: string): Promise<[number, string][]> {
  const caller = new RawCaller(sim, token);
  const recipient = sim.wallets[1]?.address ?? '';
  const spend = (verb: string, idempotencyKey: string, body: object) =>
    caller.post(`/agent/account/${verb}`, body, { 'idempotency-key': idempotencyKey });
  const told = [
    await caller.get('/agent/account'),
    await caller.get('/agent/account'),
    await caller.get('/agent/account'),
    await caller.get('/agent/account/transactions?limit=100'),
    await caller.get('/agent/loans'),
    await caller.get('/agent/profile'),
    await spend('x402/pay', key, { amount: 12.5, token: 'USDC', recipient }),
    await spend('x402/pay', key, { amount: 13, token: 'USDC', recipient }),
    await spend('x402/pay', 'late-7', { amount: 7, token: 'USDC', recipient }),
    await spend('withdraw', 'withdrawal', { amount: 40, token: 'USDC' }),
  ];
  return told.map(({ status, body }) => [status, JSON.stringify({ ...body, requestId: '' })]);
}

async function busyWorld(engine: (typeof ENGINES)[number]) {
  const sim = await world({
    engine,
    variants: { withdrawals: 'queued' },
    oracle: RATES,
    startTime: '2026-01-01',
  });
  return { sim, ...(await keepBusy(sim)) };
}

describe.each(ENGINES)('state file on %s', (engine) => {
  it('preserves all work in flight, and both worlds continue equally', async () => {
    const { sim, agents, key } = await busyWorld(engine);
    const [alice] = agents;
    const { token } = await alice.signIn();
    const states = sim.reviews.loans().loans.map(({ status }) => status);
    expect(new Set(states)).toEqual(
      new Set(['pending_review', 'denied', 'active', 'overdue', 'repaid', 'defaulted']),
    );
    const state = await sim.exportState();
    const other = await from(state);
    expect(await dumpOf(other)).toBe(await dumpOf(sim));
    expect(Buffer.compare(await other.exportState(), state)).toBe(0);
    expect(await other.invariants()).toEqual([]);
    expect(sim.faults.list().map(({ matched }) => matched)).toContain(2);

    // The earlier token is valid there, and every response is equal, to repeated calls too.
    const [here, there] = [await answers(sim, token, key), await answers(other, token, key)];
    expect(there).toEqual(here);
    expect(here.map(([status]) => status)).toContain(429);
    expect(other.createWallet()).toEqual(sim.createWallet());
    const last = { here: sim.events.last, there: other.events.last };
    const goOn = async (one: Simulator) => {
      const first = await one.advance('1d');
      one.oracle.setStale(false);
      return [...first, ...(await one.advance('1y'))];
    };
    const fired = await goOn(sim);
    expect(await goOn(other)).toEqual(fired);
    expect([...new Set(fired.map(({ kind }) => kind))]).toEqual(
      expect.arrayContaining([
        'withdrawal.completed',
        'transaction.arrived',
        'loan.due',
        'loan.defaulted',
        'yield.changed',
        'savings.settled',
      ]),
    );
    expect(await dumpOf(other)).toBe(await dumpOf(sim));
    expect(JSON.stringify(happened(other, last.there), plain)).toBe(
      JSON.stringify(happened(sim, last.here), plain),
    );
    expect(Buffer.compare(await other.exportState(), await sim.exportState())).toBe(0);
    expect(await other.invariants()).toEqual([]);
  });

  it('is identical when exported again, after a revert and from a fork', async () => {
    const { sim } = await busyWorld(engine);
    const state = await sim.exportState();
    const id = await sim.snapshot();
    const fork = await sim.fork();
    expect(Buffer.compare(await fork.exportState(), state)).toBe(0);
    await fork.close();
    await sim.advance('20d');
    sim.oracle.setPrice('SOL', 99);
    expect(Buffer.compare(await sim.exportState(), state)).not.toBe(0);
    await sim.revert(id);
    await sim.bank.invariants();
    for (const { address } of sim.wallets.slice(0, 2)) sim.bank.account(address);
    expect(Buffer.compare(await sim.exportState(), state)).toBe(0);
  });
});

describe('state file of hundreds of transactions', () => {
  it(
    'serves them by signature and address after import, and is identical in the next export',
    { tags: ['slow'] },
    async () => {
      const { sim, agent } = await worldWithAgent({ usdc: 1_000 });
      const wallet = agent.wallet.address;
      const pay = async (to: Simulator) =>
        (await to.bank.withdraw({ wallet, amount: 0.5, token: 'USDC' })).ok;
      for (let at = 0; at < 600; at += 1) expect(await pay(sim)).toBe(true);
      const state = await sim.exportState();
      const other = await from(state);
      expect(Buffer.compare(await other.exportState(), state)).toBe(0);
      const ask = rpcMessage('getSignaturesForAddress', sim.facts.treasury, { limit: 1_000 });
      const told = await sim.rpc(ask);
      expect(await other.rpc(ask)).toBe(told);
      const { result } = JSON.parse(told) as { result: { signature: string }[] };
      const { signature } = result.at(300) as { signature: string };
      expect(other.chain.getTransaction(signature)?.touched).toEqual(
        sim.chain.getTransaction(signature)?.touched,
      );
      for (let at = 0; at < 300; at += 1) expect((await pay(other)) && (await pay(sim))).toBe(true);
      const [mine, others] = [await sim.exportState(), await other.exportState()];
      expect(Buffer.compare(others, mine)).toBe(0);
      const third = await from(others);
      expect(await dumpOf(third)).toBe(await dumpOf(sim));
      await third.importState(state);
      await sim.importState(state);
      expect(await dumpOf(third)).toBe(await dumpOf(sim));
      expect(await third.invariants()).toEqual([]);
    },
  );
});

describe('import into a running world', () => {
  it('restores the state and leaves snapshots usable', async () => {
    const { sim, agent } = await worldWithAgent({ usdc: 100 });
    const state = await sim.exportState();
    const before = await dumpOf(sim);
    await agent.withdraw({ amount: 40, token: 'USDC' });
    await sim.advance('90d');
    const id = await sim.snapshot();
    const later = await dumpOf(sim);
    await sim.importState(state);
    expect(await dumpOf(sim)).toBe(before);
    expect((await agent.account()).checking.usdc).toBe(100);
    expect(Buffer.compare(await sim.exportState(), state)).toBe(0);
    await sim.revert(id);
    expect(await dumpOf(sim)).toBe(later);
  });

  it('accepts any engine, rejects another seed or other rules, and then changes nothing', async () => {
    const sim = await world({ engine: 'litesvm' });
    await agentWith(sim, 0, { usdc: 100 });
    const dump = await dumpOf(sim);
    const others = [
      await world({ seed: 'other' }),
      await world({ variants: { withdrawals: 'queued', errorStatus: { invalid_json: 500 } } }),
      await world({ confirmationSlots: 2, oracle: { maxAge: 'off' } }),
    ];
    const [seed, rules, depths] = await Promise.all(others.map((other) => other.exportState()));
    for (const [state, text] of [
      [seed, /different seed\. Sta/],
      [rules, /a different variants.withdrawals, variants.errorStatus/],
      [depths, /different confirmationSlots, maxAgeMs/],
    ] as const)
      await expect(sim.importState(state as Uint8Array)).rejects.toMatchObject({
        code: 'state_of_another_world',
        message: expect.stringMatching(text) as string,
      });
    expect(await dumpOf(sim)).toBe(dump);
    const bankrun = await world({ engine: 'bankrun' });
    await agentWith(bankrun, 3, { sol: 2 });
    await sim.importState(await bankrun.exportState());
    expect(await dumpOf(sim)).toBe(await dumpOf(bankrun));
    expect((await sim.agent(3).account()).checking.sol).toBe(2);
    expect(await sim.invariants()).toEqual([]);
  });
});

describe('world started from a state file', () => {
  it('has the options of the state; only engine, time and fresh secrets can be chosen', async () => {
    const sim = await world({
      seed: 'mine',
      variants: { network: 'devnet' },
      withdrawalDelay: '3h',
      confirmationSlots: [1, 5],
    });
    const state = await sim.exportState();
    for (const more of [{ seed: 'mine' }, { variants: {} }, { startTime: 0 }, { oracle: {} }]) {
      await expect(from(state, more)).rejects.toThrow(/the state file determines/);
    }
    await expect(from(state, { engine: 'cluster' })).rejects.toThrow(/cannot be loaded on a cluster/);
    const other = await from(state, { time: '60x', engine: 'bankrun' });
    const { seed, variants, withdrawalDelayMs, confirmationSlots } = sim.config;
    expect(sim.config.engine).toBe('litesvm');
    const same = { seed, variants, withdrawalDelayMs, confirmationSlots };
    expect(other.config).toMatchObject({ ...same, engine: 'bankrun' });
    expect(other.timeMode()).toEqual({ kind: 'scaled', factor: 60 });
    expect(other.wallets).toEqual(sim.wallets);
    expect(other.facts).toEqual(sim.facts);
  });

  it('continues in real time from the instant of the state', async () => {
    const sim = await world({ time: 'real', startTime: '2030-01-01T00:00:00Z' });
    const other = await from(await sim.exportState());
    expect(other.timeMode()).toEqual({ kind: 'real' });
    const sinceMs = other.now().getTime() - Date.UTC(2030, 0, 1);
    expect(sinceMs).toBeGreaterThanOrEqual(0);
    expect(sinceMs).toBeLessThan(60_000);
  });

  it('contains a journal of thousands of entries, and pages through them', async () => {
    const sim = await world();
    await agentWith(sim, 0, { usdc: 1_000 });
    const wallet = sim.wallets[0]?.address ?? '';
    const save = (to: Simulator) => to.bank.savingsDeposit({ wallet, amount: 0.01, token: 'USDC' });
    for (let at = 0; at < 2_500; at += 1) save(sim);
    const first = await sim.exportState();
    const other = await from(first);
    for (let at = 0; at < 700; at += 1) expect(save(other).ok && save(sim).ok).toBe(true);
    const [mine, others] = [sim, other].map((one) => one.bank.books.snapshot().entries.toArray());
    expect(others).toEqual(mine);
    expect(Buffer.compare(await other.exportState(), await sim.exportState())).toBe(0);
    const again = await from(await other.exportState());
    expect(await dumpOf(again)).toBe(await dumpOf(sim));
    const { pagination } = await again.agent(0).transactions({ limit: 100, offset: 3_000 });
    expect(pagination.total).toBe(3_201);
  });
});
