import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { spawnSync } from 'node:child_process';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Chain } from '../../src/chain/chain.js';
import { EmbeddedChain } from '../../src/runtime/embedded-chain.js';
import { createSimulator } from '../../src/simulator/simulator.js';
import { dumpOf } from '../support/dump.js';
import { leaveInTreasury } from '../support/thief.js';
import { ENGINES, RawCaller, agentWith, world, worldWithAgent } from '../support/world.js';

describe.each(ENGINES)('world on %s', (engine) => {
  it('reverts exactly, repeatedly, and accepts a reverted deposit again', async () => {
    const { sim, agent } = await worldWithAgent({ usdc: 100, engine });
    const id = await sim.snapshot();
    const { state } = sim.bank.books;
    const balances = await sim.chain.balances(agent.wallet.address);
    for (let round = 0; round < 3; round += 1) {
      const signature = await agent.sendToTreasury(50, 'USDC');
      await agent.deposit({ amount: 50, token: 'USDC', tx_signature: signature });
      await sim.advance('40d');
      await sim.revert(id);
      expect(sim.bank.books.state).toBe(state);
      expect(sim.now().toISOString()).toBe('2026-01-01T00:00:00.000Z');
      expect(await sim.chain.balances(agent.wallet.address)).toEqual(balances);
      expect(await sim.invariants()).toEqual([]);
    }
  });

  it('is independent of other worlds in its process', async () => {
    const sims = await Promise.all([1, 2, 3].map((seed) => world({ engine, seed })));
    await Promise.all(sims.map((sim, at) => agentWith(sim, 0, { usdc: 10 * (at + 1) })));
    for (const [at, sim] of sims.entries()) {
      expect((await sim.agent(0).account()).checking.usdc).toBe(10 * (at + 1));
      expect(await sim.invariants()).toEqual([]);
    }
    expect(new Set(sims.map((sim) => sim.facts.treasury)).size).toBe(3);
  });

  it('can be created, closed twice and created again in a row', async () => {
    for (let round = 0; round < 4; round += 1) {
      const sim = await createSimulator({ engine, time: 'frozen', seed: round });
      await agentWith(sim, 0, { usdc: 10, sol: 1 });
      expect(await sim.invariants()).toEqual([]);
      await sim.close();
      await sim.close();
      await expect(sim.fetch('/api/v1/docs')).rejects.toThrow('closed');
    }
  });

  it('books unrecorded transfers to the treasury, and transfers signed with its key', async () => {
    const sim = await world({ engine });
    const { treasury } = sim.bank.addresses;
    await sim.faucet(treasury.address, 5, 'USDC');
    await sim.faucet(treasury.address, 2, 'SOL');
    expect(await sim.invariants()).toEqual([]);
    await leaveInTreasury(sim, 'SOL', 1_000_000_000n);
    expect(await sim.invariants()).toEqual([]);
  });
});

it('the library refuses what the control interface refuses, and changes nothing', async () => {
  const sim = await world();
  const { address } = sim.createWallet();
  const before = await dumpOf(sim);
  // oxlint-disable-next-line typescript/no-explicit-any -- callers without types
  const { oracle, reviews } = sim as any;
  const wrong: [() => unknown, string][] = [
    [() => sim.createFundedWallet({ usdc: 5 } as object), 'usdc: there is no such token; did you mean USDC?'],
    [() => oracle.setApy('USDC', 0.05, { inn: '30d' }), 'inn: there is no such option; did you mean in?'],
    [() => oracle.setApy('USDC', { wlk: {} }), 'a source is a number, a series or a walk'],
    [() => oracle.setOutage('yes'), 'out must be true or false'],
    [() => reviews.setPolicy('perhaps'), 'review is '],
    [() => reviews.cure('loan', { dueInn: '5d' }), 'dueInn: there is no such option; did you mean dueIn?'],
    [() => sim.linkIdentity(address, { X: true } as never), 'X: there is no such account; did you mean x?'],
    [() => sim.setTime('scaled'), 'time: "scaled" is not'],
    [() => sim.advance({ until: 'loan.du' as never }), 'until: cannot be loan.du; did you mean loan.due?'],
    [() => sim.setBalance(address, 5, 'usdc' as never), 'token: cannot be usdc; did you mean USDC?'],
    [() => oracle.load({ usdcApy: [] }), 'usdcApy: there is no such column'],
    [() => oracle.setStale('yes'), 'stale must be true or false'],
    [() => reviews.loans({ status: 'activ' }), 'status: cannot be activ; did you mean active?'],
    [() => sim.advance({ to: '2027-01-01T00:00:00Z', blocks: 3 }), 'give exactly one of: a duration, to'],
  ];
  for (const token of ['usdc', 'EUR', undefined] as never[])
    for (const call of [() => sim.faucet(address, 5, token), () => oracle.apy(token)])
      wrong.push([call, 'token: cannot be ']);
  for (const [call, says] of wrong) await expect((async () => call())(), says).rejects.toThrow(says);
  expect(await dumpOf(sim)).toBe(before);
  await sim.advance({ blocks: 0, to: undefined });
  sim.setTime({ kind: 'scaled', factor: 1e-7 });
  await sim.funding.setBalance({ address, amount: 1, token: 'SOL', network: null as never });
});

describe('determinism', () => {
  it('another seed gives other wallets, and no seed always the same', async () => {
    const [one, two, again] = [await world(), await world({ seed: 2 }), await world()];
    expect(two.wallets[0]).not.toEqual(one.wallets[0]);
    expect(again.wallets).toEqual(one.wallets);
    expect(again.facts).toEqual(one.facts);
  });

  it('fresh secrets change the keys of tokens and receipts, and no wallet', async () => {
    const [one, fresh] = [await world(), await world({ freshSecrets: true })];
    expect(fresh.wallets).toEqual(one.wallets);
    expect(fresh.facts.issuerPublicKey).not.toBe(one.facts.issuerPublicKey);
    const { token } = await one.agent(0).signIn();
    await fresh.agent(0).signIn();
    expect((await new RawCaller(fresh, token).get('/agent/account')).body.code).toBe('invalid_token');
  });
});

describe('closing every world', () => {
  it.each(ENGINES)(
    'ends what it does on its machine, which a later world may have, on %s',
    async (engine) => {
      const closed = await world({ engine });
      await closed.agent(0).fund(5, 'USDC');
      await closed.close();
      const later = await world({ engine });
      const text = await dumpOf(later);
      await expect(closed.faucet(closed.facts.treasury, 1, 'SOL')).rejects.toThrow(
        'the chain of this world is closed',
      );
      expect(await dumpOf(later)).toBe(text);
      expect(await later.invariants()).toEqual([]);
    },
  );

  it.each(ENGINES)('releases an engine whose genesis fails, on %s', async (engine) => {
    vi.spyOn(EmbeddedChain.prototype, 'begin').mockRejectedValueOnce(new Error('no genesis'));
    const release = vi.spyOn(Chain.prototype, 'release');
    onTestFinished(() => void vi.restoreAllMocks());
    await expect(createSimulator({ engine, time: 'frozen' })).rejects.toThrow('no genesis');
    expect(release).toHaveBeenCalledOnce();
  });

  it('lets the process exit, and leaves no temporary folders', { tags: ['slow'], timeout: 60_000 }, () => {
    const script = `
      import { createSimulator } from ${JSON.stringify(new URL('../../src/simulator/simulator.ts', import.meta.url).href)};
      const sims = await Promise.all([createSimulator({ time: 'frozen' }), createSimulator({ engine: 'litesvm' })]);
      const server = await sims[0].listen();
      await (await fetch(server.origin + '/api/v1/docs')).text();
      for (const sim of sims) await sim.close();
    `;
    const run = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 50_000,
    });
    expect(run.stderr).toBe('');
    expect([run.status, run.signal]).toEqual([0, null]);
    const left = readdirSync(tmpdir()).filter((name) => name.startsWith(`agent-bank-sim-${run.pid}-`));
    expect(left).toEqual([]);
  });
});
