import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATA_FILE } from '../../persistence/durable/write-ahead-file.js';
import type { SimulatorOptions } from '../../runtime/config.js';
import { type Simulator, createSimulator } from '../../simulator/simulator.js';
import type { KilledAt } from '../fuzz/world.js';

/** The process ends at the pause of this number. Each transfer of the bank has a pause before and one after it. */
const PAUSES: Readonly<Record<KilledAt, number>> = { before: 1, after: 2, answered: Infinity };

/**
 * Runs a call, kills its process, and reads the data folder in a second process. The first process ends before or after the bank's first
 * transfer, or after the response, as it does when nothing moves on chain. Takes and returns a state file.
 */
export async function killedDuring(
  state: Uint8Array,
  options: Pick<SimulatorOptions, 'engine' | 'limits'>,
  { at, call }: { readonly at: KilledAt; readonly call: (sim: Simulator) => Promise<unknown> },
): Promise<Uint8Array> {
  const root = mkdtempSync(join(tmpdir(), 'agent-bank-sim-killed-'));
  const [first, second] = [join(root, 'first'), join(root, 'second')];
  let pauses = 0;
  let isKilled = false;
  const kill = () => {
    mkdirSync(second);
    cpSync(join(first, DATA_FILE), join(second, DATA_FILE));
    isKilled = true;
  };
  try {
    const sim = await createSimulator(
      { ...options, state, dataDir: first, fsync: 'off' },
      {
        aroundTransfer: async () => {
          pauses += 1;
          if (pauses !== PAUSES[at]) return;
          await sim.whenDurable();
          kill();
        },
      },
    );
    await call(sim);
    if (!isKilled) kill();
    await sim.close();
    const again = await createSimulator({ ...options, dataDir: second, fsync: 'off' });
    const found = await again.exportState();
    await again.close();
    return found;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
