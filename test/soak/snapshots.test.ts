import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { ENGINES, agentWith, world } from '../support/world.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

describe.each(ENGINES)('snapshots and reverts on %s', (engine) => {
  it('10,000 in a row, each around one operation, keep memory flat', async () => {
    const sim = await world({ engine });
    const agent = await agentWith(sim, 0, { usdc: 100 });
    const wallet = agent.wallet.address;
    const round = async () => {
      const id = await sim.snapshot();
      await sim.bank.withdraw({ wallet, amount: 1, token: 'USDC' });
      await sim.revert(id);
    };
    const heap = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    // The event log fills to its limit first.
    for (let at = 0; at < 10_000; at += 1) await round();
    const before = heap();
    for (let at = 0; at < 10_000; at += 1) await round();
    const grown = heap() - before;
    process.stdout.write(`${engine}: ${grown} bytes after 10,000 more\n`);
    expect(grown).toBeLessThan(10_000 * 256);
    expect(await sim.invariants()).toEqual([]);
  });
});
