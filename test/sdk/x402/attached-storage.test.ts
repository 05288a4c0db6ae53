import { describe, expect, it } from 'vitest';
import { MemoryStorage } from '../../../src/sdk/x402/index.js';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { QUIET, fullDisk, kept } from '../../persistence/durable/support.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { agentWith, world } from '../../support/world.js';
import { Shop, payFor } from './support.js';

/** A shop whose storage is attached to its world, and somebody who pays. */
async function attached(sim: Simulator) {
  const storage = new MemoryStorage({ nowMs: () => sim.now().getTime() });
  sim.attach(storage);
  const shop = new Shop(sim, await agentWith(sim, 1), { storage });
  return { storage, shop, payer: await agentWith(sim, 0, { usdc: 100 }) };
}

describe('paywall whose storage is attached to a world', () => {
  it('forgets with a world that is reverted what it has sold since, when its storage is attached to it', async () => {
    const sim = await world();
    const { storage, shop, payer } = await attached(sim);
    const receipt = await payFor(payer, await shop.ask('/weather'));
    const paid = await sim.snapshot();
    for (let round = 0; round < 2; round += 1) {
      expect(await shop.get('/weather', receipt)).toMatchObject({ status: 200 });
      expect(await shop.get('/weather', receipt)).toMatchObject({ code: 'receipt_used' });
      const later = await shop.ask('/later');
      await sim.revert(paid);
      expect(storage.find(later.asked.request_id)).toBeNull();
    }
    expect((await shop.account.account()).checking.usdc).toBe(0);
  });

  it('serves each payment once across a write that fails, although the world is rolled back', async () => {
    const sim = await kept(temporaryFolder(), {}, QUIET);
    const { shop, payer } = await attached(sim);
    const other = await agentWith(sim, 2, { usdc: 100 });
    const served = await payFor(payer, await shop.ask('/weather'));
    expect(await shop.get('/weather', served)).toMatchObject({ status: 200 });
    const waiting = await shop.ask('/weather');
    const disk = fullDisk();
    await expect(other.withdraw({ amount: 1, token: 'USDC' })).rejects.toThrow();
    disk.mockRestore();
    expect(await shop.get('/weather', served)).toMatchObject({ code: 'receipt_used' });
    const paid = await payFor(payer, waiting);
    expect(await shop.get('/weather', paid)).toMatchObject({ status: 200 });
    expect((await shop.account.account()).checking.usdc).toBe(0.5);
  });

  it('forgets what it has sold when a state is imported, so that it serves the same payment in the earlier world', async () => {
    const sim = await world();
    const { shop, payer } = await attached(sim);
    const earlier = await sim.exportState();
    const receipt = await payFor(payer, await shop.ask('/weather'));
    expect(await shop.get('/weather', receipt)).toMatchObject({ status: 200 });
    await sim.importState(earlier);
    const again = await payFor(payer, await shop.ask('/weather'));
    expect(again.tx_signature).toBe(receipt.tx_signature);
    expect(await shop.get('/weather', again)).toMatchObject({ status: 200 });
  });

  it('gives a storage that is attached after a snapshot the state which it had then', async () => {
    const sim = await world();
    const before = await sim.snapshot();
    const storage = new MemoryStorage({ nowMs: () => sim.now().getTime() });
    sim.attach(storage);
    storage.claim('a payment', sim.now().getTime() + 1_000);
    await sim.revert(before);
    expect(storage.claim('a payment', sim.now().getTime() + 1_000)).toBe(true);
  });
});
