import { expect, it, vi } from 'vitest';
import { type Simulator, createSimulator } from '../../src/simulator/simulator.js';
import { asKilledNow, kept } from '../persistence/durable/support.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { world } from '../support/world.js';
import { valueOf } from '../api/rpc/support.js';

const TIME = '60x';
const WITHDRAWAL = { amount: 10, token: 'USDC' } as const;

/** 70 minutes at 60x are 175 slots: the transaction comes too late for its blockhash, and its amount returns. */
async function delayed(sim: Simulator): Promise<void> {
  const agent = sim.agent(0);
  await agent.fund(100, 'USDC');
  sim.faults.add({ endpoint: 'withdraw', effect: 'delay-transaction', delay: '70m', when: { nth: 1 } });
  await agent.withdraw(WITHDRAWAL);
}

async function checking(sim: Simulator): Promise<number> {
  return (await sim.agent(0).account()).checking.usdc;
}

/** A running world in which a withdrawal fell due without a call. */
async function overdueWorld(): Promise<Simulator> {
  const wall = { ms: 0 };
  const sim = await world({ time: TIME }, { wall: () => wall.ms });
  await delayed(sim);
  wall.ms += 80_000;
  return sim;
}

it.each<[copy: string, of: (sim: Simulator) => Promise<Simulator>]>([
  ['a fork', (sim) => sim.fork()],
  [
    'a fork of a world whose clock has stopped',
    (sim) => {
      sim.setTime('frozen');
      return sim.fork();
    },
  ],
  ['a fork of a snapshot', async (sim) => sim.fork(await sim.snapshot())],
  ['a state file', async (sim) => createSimulator({ state: await sim.exportState(), engine: 'litesvm' })],
  [
    'a revert',
    async (sim) => {
      const id = await sim.snapshot();
      await sim.agent(0).signIn();
      await sim.revert(id);
      return sim;
    },
  ],
])('what fell due on a fast clock ends in %s as it would have ended', async (_copy, of) => {
  const copy = await of(await overdueWorld());
  try {
    expect(await checking(copy)).toBe(100);
    expect(await copy.invariants()).toEqual([]);
  } finally {
    await copy.close();
  }
});

it('an advance until an event sees what fell due before it', async () => {
  const sim = await overdueWorld();
  const fired = await sim.advance({ until: 'transaction.expired' });
  expect(fired.map(({ kind }) => kind)).toContain('transaction.expired');
});

it('a fork, a state file and a data folder know the blockhashes that were issued after a revert', async () => {
  const folder = temporaryFolder();
  const sim = await kept(folder);
  const latest = () => valueOf<{ blockhash: string }>(sim, 'getLatestBlockhash');
  const id = await sim.snapshot();
  const before = await latest();
  await sim.revert(id);
  const { blockhash } = await latest();
  expect(blockhash).not.toBe(before.blockhash);
  const loaded = await world({ state: await sim.exportState() });
  for (const copy of [await sim.fork(), loaded, await kept(asKilledNow(folder))]) {
    expect(await valueOf(copy, 'isBlockhashValid', blockhash)).toBe(true);
    await copy.close();
  }
});

it('what fell due while no process ran a world ends as it would have ended', async () => {
  const now = vi.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-03-01T00:00:00Z'));
  const folder = temporaryFolder();
  const sim = await kept(folder, { engine: 'litesvm', time: TIME });
  await delayed(sim);
  await sim.whenDurable();
  now.mockReturnValue(Date.now() + 80_000);
  const again = await kept(asKilledNow(folder), { engine: 'litesvm', time: TIME });
  now.mockRestore();
  expect(await checking(again)).toBe(100);
  expect(await again.invariants()).toEqual([]);
});
