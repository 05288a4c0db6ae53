import { describe, expect, it } from 'vitest';
import type { FaultInput } from '../../../src/runtime/faults-api.js';
import { postJson } from '../../support/post-json.js';
import { ENGINES, worldWithAgent } from '../../support/world.js';

/** A world with 100 USDC in the checking account of wallet 0, and the faults. */
async function faulty(faults: readonly FaultInput[], engine: (typeof ENGINES)[number] = 'litesvm') {
  const { sim, agent } = await worldWithAgent({ usdc: 100, engine });
  for (const fault of faults) sim.faults.add(fault);
  const matched = () => sim.faults.list().map((fault) => fault.matched);
  const before = matched();
  return {
    sim,
    agent,
    /** Per fault: on how many of the calls that it matched since then it fired. */
    counts: () =>
      sim.faults.list().map(({ matched: now, fired }, at) => `${fired} of ${now - (before[at] ?? 0)}`),
    /** The faults in the event of the last request. */
    logged: () => {
      const { events } = sim.events.page({ after: 0, limit: 1_000, kind: 'request' });
      const body = events.at(-1)?.body;
      return body?.kind === 'request' ? body.faults.map(({ fault }) => fault) : [];
    },
  };
}

const LATE = { effect: 'delay-transaction', delay: '1s' } as const;
const WITHDRAWAL = { amount: 10, token: 'USDC' } as const;

describe.each(ENGINES)('a fault counts as fired on %s', (engine) => {
  it('not on a call that never reaches its phase, and is not named by its event', async () => {
    const { sim, agent, counts, logged } = await faulty([{ endpoint: '*', ...LATE }], engine);
    await agent.yieldRates();
    await expect(agent.withdraw({ ...WITHDRAWAL, amount: 1_000 })).rejects.toThrow();
    expect(counts()).toEqual(['0 of 2']);
    expect(logged()).toEqual([]);
    expect((await agent.withdraw(WITHDRAWAL)).withdrawal.status).toBe('pending');
    expect(counts()).toEqual(['1 of 3']);
    expect(logged()).toEqual(['fault-1']);
    expect(await sim.invariants()).toEqual([]);
  });
});

describe('a fault counts as fired', () => {
  it('when it replaces the response, and no other that would have', async () => {
    const replaced = { endpoint: 'withdraw', effect: 'replace-response' } as const;
    const { agent, counts, logged } = await faulty([
      { endpoint: 'withdraw', ...LATE },
      { ...replaced, status: 500 },
      { ...replaced, status: 503 },
      { ...replaced, phase: 'after-commit' },
      { endpoint: 'withdraw', effect: 'oracle-outage' },
    ]);
    await expect(agent.withdraw(WITHDRAWAL)).rejects.toMatchObject({
      status: 500,
      details: { faults: ['fault-2'] },
    });
    expect(counts()).toEqual(['0 of 1', '1 of 1', '0 of 1', '0 of 1', '0 of 1']);
    expect(logged()).toEqual(['fault-2']);
  });

  it('when a call needs a price', async () => {
    const { agent, counts } = await faulty([{ endpoint: '*', effect: 'oracle-outage' }]);
    await agent.account();
    expect(counts()).toEqual(['0 of 1']);
    await expect(agent.withdraw(WITHDRAWAL)).rejects.toMatchObject({ code: 'oracle_unavailable' });
    await expect(agent.yieldRates()).rejects.toMatchObject({ code: 'oracle_unavailable' });
    expect(counts()).toEqual(['2 of 3']);
  });

  it('when a transaction that it looks up was found', async () => {
    const { agent, counts } = await faulty([{ endpoint: 'deposit', phase: 'chain-confirm', ...LATE }]);
    const signature = await agent.sendToTreasury(5, 'USDC');
    const deposit = (tx_signature: string) => agent.deposit({ amount: 5, token: 'USDC', tx_signature });
    await expect(deposit('1'.repeat(64))).rejects.toThrow();
    expect(counts()).toEqual(['0 of 1']);
    await expect(deposit(signature)).rejects.toMatchObject({ code: 'transaction_not_confirmed' });
    expect(counts()).toEqual(['1 of 2']);
  });

  it('on the rpc not when the call is refused without it', async () => {
    const { sim, agent, counts } = await faulty([
      { rpc: '*', effect: 'drop-transaction' },
      { rpc: '*', effect: 'lose-response', when: { times: 1 } },
    ]);
    const { url } = await sim.listenRpc();
    const call = (method: string, params: unknown[]) =>
      postJson(url, { jsonrpc: '2.0', id: 1, method, params });
    expect((await call('getBalance', ['nobody'])).status).toBe(200);
    expect(counts()).toEqual(['0 of 1', '0 of 1']);
    await expect(call('getBalance', [agent.wallet.address])).rejects.toThrow('fetch failed');
    expect(counts()).toEqual(['0 of 2', '1 of 2']);
  });
});
