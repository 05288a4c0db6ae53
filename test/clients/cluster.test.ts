// @module-tag slow
import { PublicKey, type SlotUpdate } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { connected } from './clients.js';
import { simulator } from './support.js';
import { ENGINES } from '../support/world.js';
import { Collector } from '../support/waiting.js';

const EPOCH_SLOTS = 432_000;

describe.each(ENGINES)('what clients read of the cluster on %s', (engine) => {
  const ready = simulator(engine);

  it('is understood by @solana/web3.js', async () => {
    const { rpcUrl, wallets } = ready();
    const connection = connected(rpcUrl);
    const updates = new Collector<SlotUpdate>();
    const id = connection.onSlotUpdate(updates.add);
    for (const type of ['createdBank', 'completed', 'optimisticConfirmation', 'root'] as const)
      expect((await updates.first((update) => update.type === type)).slot).toBeGreaterThanOrEqual(0);
    const frozen = await updates.first(({ type }) => type === 'frozen');
    expect(frozen).toMatchObject({ stats: { numFailedTransactions: 0 } });
    await connection.removeSlotUpdateListener(id);

    const { value } = await connection.getBlockProduction({ range: { firstSlot: 0, lastSlot: 0 } });
    expect(Object.values(value.byIdentity)).toEqual([[1, 1]]);
    const [slots] = Object.values(await connection.getLeaderSchedule());
    expect(slots).toHaveLength(EPOCH_SLOTS);
    expect(await connection.getInflationGovernor()).toMatchObject({ initial: 0.08, terminal: 0.015 });
    const wallet = new PublicKey(wallets[0]?.address ?? '');
    await expect(connection.getInflationReward([wallet])).rejects.toThrow('Block not available');
    const schedule = { slotsPerEpoch: EPOCH_SLOTS, firstNormalSlot: 0 };
    expect(await connection.getEpochSchedule()).toMatchObject(schedule);
  });
});
