// @module-tag slow
import { describe, expect, it, onTestFinished } from 'vitest';
import { compactedHistory } from '../../../src/persistence/state-file/chain-log.js';
import { compacted } from '../../../src/persistence/state-file/journal.js';
import { type Simulator, createSimulator } from '../../../src/simulator/simulator.js';

/** Full blocks of entries and of transactions, and some beyond. */
const TRANSACTIONS = 270;
const ENTRIES = 600;

async function busyWorld(): Promise<Simulator> {
  const sim = await createSimulator({ engine: 'litesvm', time: 'frozen' });
  onTestFinished(() => sim.close());
  await sim.agent(0).fund(5_000, 'USDC');
  const wallet = sim.wallets[0]?.address ?? '';
  for (let at = 0; at < TRANSACTIONS; at += 1) {
    const to = sim.wallets[1 + (at % 9)]?.address ?? '';
    await sim.bank.pay({ wallet, recipient: to, amount: 0.01 + at / 1e6, token: 'USDC' });
  }
  for (let at = 0; at < ENTRIES / 2; at += 1) {
    sim.bank.savingsDeposit({ wallet, amount: 0.01, token: 'USDC' });
    sim.bank.savingsWithdraw({ wallet, amount: 0.01, token: 'USDC' });
  }
  return sim;
}

function compact(sim: Simulator): void {
  const snapshot = sim.bank.books.snapshot();
  sim.bank.books.restore({ ...snapshot, entries: compacted(snapshot.entries) });
  sim.chain.keepHistory(compactedHistory);
}

describe('a compacted world', () => {
  it('is equal to what it was, also when it goes on and is compacted again', async () => {
    const [plain, sim] = [await busyWorld(), await busyWorld()];
    expect(await sim.dump()).toBe(await plain.dump());
    for (let round = 0; round < 2; round += 1) {
      compact(sim);
      expect(await sim.dump()).toBe(await plain.dump());
      expect(await sim.exportState()).toEqual(await plain.exportState());
      for (const world of [plain, sim]) {
        const wallet = world.wallets[0]?.address ?? '';
        for (let at = 0; at < 260; at += 1)
          await world.bank.withdraw({ wallet, amount: 0.01 + at / 1e6, token: 'USDC', destination: wallet });
      }
    }
    expect(await sim.invariants()).toEqual([]);
    expect(sim.bank.books.snapshot().entries.archive?.size).toBeGreaterThanOrEqual(1_024);
  });

  it('can be forked and reverted', async () => {
    const sim = await busyWorld();
    const before = await sim.snapshot();
    const text = await sim.dump();
    compact(sim);
    const fork = await sim.fork();
    onTestFinished(() => fork.close());
    expect(await fork.dump()).toBe(text);
    const wallet = sim.wallets[0]?.address ?? '';
    await sim.bank.withdraw({ wallet, amount: 1, token: 'USDC', destination: wallet });
    await sim.revert(before);
    expect(await sim.dump()).toBe(text);
    expect(await sim.invariants()).toEqual([]);
  });
});
