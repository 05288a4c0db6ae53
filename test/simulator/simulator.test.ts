import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { spawnSync } from 'node:child_process';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Chain } from '../../src/chain/chain.js';
import { transferLamports } from '../../src/chain/solana/instructions.js';
import { buildTransaction } from '../../src/chain/solana/wire.js';
import { EmbeddedChain } from '../../src/runtime/embedded-chain.js';
import { createSimulator } from '../../src/simulator/simulator.js';
import { RandomPlay } from '../support/random-play.js';
import { ENGINES, RawCaller, agentWith, world } from '../support/world.js';

for (const engine of ENGINES) {
  describe(`world on ${engine}`, () => {
    it('reverts exactly, repeatedly, and accepts a reverted deposit again', async () => {
      const sim = await world({ engine });
      const agent = await agentWith(sim, 0, { usdc: 100 });
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

    it('accepts the same transaction again after a revert', async () => {
      const sim = await world({ engine });
      const { treasury } = sim.bank.addresses;
      const gift = transferLamports(treasury.address, sim.wallets[0]?.address ?? '', 7n);
      const bytes = buildTransaction([gift], [treasury], sim.chain.latestBlockhash().blockhash);
      const id = await sim.snapshot();
      for (let round = 0; round < 5; round += 1) {
        expect((await sim.chain.submit(bytes)).kind).toBe('processed');
        expect(await sim.chain.submit(bytes)).toMatchObject({
          kind: 'refused',
          error: 'AlreadyProcessed',
        });
        await sim.revert(id);
      }
    });

    it('reverts to a later snapshot after an earlier one', async () => {
      const sim = await world({ engine });
      const agent = await agentWith(sim, 0, { usdc: 100 });
      const early = await sim.snapshot();
      await agent.withdraw({ amount: 30, token: 'USDC' });
      const late = await sim.snapshot();
      await sim.revert(early);
      await agent.withdraw({ amount: 1, token: 'USDC' });
      await sim.revert(late);
      expect((await agent.account()).checking.usdc).toBe(70);
      expect(await sim.invariants()).toEqual([]);
      await sim.revert(early);
      expect((await agent.account()).checking.usdc).toBe(100);
      expect(await sim.invariants()).toEqual([]);
    });

    it('shares no state with its fork', async () => {
      const sim = await world({ engine });
      const agent = await agentWith(sim, 0, { usdc: 100 });
      const { token } = await agent.signIn();
      const fork = await sim.fork();
      try {
        const there = new RawCaller(fork, token);
        await there.post('/agent/account/withdraw', { amount: 60, token: 'USDC' });
        expect((await there.get('/agent/account')).body['checking']).toMatchObject({ usdc: 40 });
        expect((await agent.account()).checking.usdc).toBe(100);
        expect([await fork.invariants(), await sim.invariants()]).toEqual([[], []]);
      } finally {
        await fork.close();
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
      const theft = transferLamports(treasury.address, sim.wallets[3]?.address ?? '', 10_000_000_000n);
      const { blockhash } = sim.chain.latestBlockhash();
      await sim.chain.sendTransaction(buildTransaction([theft], [treasury], blockhash));
      expect(await sim.invariants()).toEqual([]);
    });
  });
}

describe('determinism', () => {
  it(
    'the same seed and calls on litesvm give the same books, ids and signatures',
    { tags: ['slow'], timeout: 60_000 },
    async () => {
      const play = async () => {
        const sim = await world({ seed: 'twin' });
        await new RandomPlay(sim, 'twin').play(300);
        const entries = Array.from({ length: sim.bank.books.state.seq }, (_, at) =>
          sim.bank.books.entryAt(at + 1),
        );
        return JSON.stringify(entries, (_, value: unknown) =>
          typeof value === 'bigint' ? `${value}n` : value,
        );
      };
      expect(await play()).toBe(await play());
    },
  );

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
      const text = await later.dump();
      await expect(closed.faucet(closed.facts.treasury, 1, 'SOL')).rejects.toThrow(
        'the chain of this world is closed',
      );
      expect(await later.dump()).toBe(text);
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
