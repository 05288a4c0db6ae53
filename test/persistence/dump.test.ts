import { describe, expect, it } from 'vitest';
import { dumpOf } from '../support/dump.js';
import { RandomPlay } from '../support/random-play.js';
import { ENGINES, agentWith, world } from '../support/world.js';

describe.each(ENGINES)('dump of a world on %s', (engine) => {
  it('is byte-identical after 1,000 random steps and a revert, repeatedly', { tags: ['slow'] }, async () => {
    const sim = await world({ engine, seed: 'dump' });
    const random = new RandomPlay(sim, 'dump', { hasFaults: true });
    await random.play(200);
    const snapshot = await sim.snapshot();
    const dump = await dumpOf(sim);
    for (const steps of [1_000, 50]) {
      await random.play(steps);
      expect(await dumpOf(sim)).not.toBe(dump);
      await sim.revert(snapshot);
      expect(await dumpOf(sim)).toBe(dump);
    }
    // The engine agrees with the dump.
    const { accounts } = (
      JSON.parse(dump) as { chain: { accounts: Record<string, { lamports: string } | null> } }
    ).chain;
    for (const [address, account] of Object.entries(accounts).slice(0, 40)) {
      const held = await sim.chain.getAccount(address);
      expect((held?.lamports ?? 0n).toString(), address).toBe(account?.lamports ?? '0');
    }
    expect(await sim.invariants()).toEqual([]);
  });
});

it('a dump orders its members by name and contains no secret key of a wallet', async () => {
  const sim = await world();
  await agentWith(sim, 0, { usdc: 100 });
  const dump = await dumpOf(sim);
  const names = Object.keys(JSON.parse(dump) as object);
  expect(names).toEqual(names.toSorted());
  for (const { secretKey } of sim.wallets) expect(dump).not.toContain(secretKey);
});
