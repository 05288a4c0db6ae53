import { type Simulator, createSimulator } from '../../src/simulator/simulator.js';
import { busyMonth } from './busy-month.js';
import { smallTown } from './small-town.js';

/** What happens in each world before it is written down. */
export const WORLDS: Readonly<Record<string, (sim: Simulator) => Promise<void>>> = {
  empty: async () => undefined,
  'small-town': smallTown,
  'busy-month': busyMonth,
};

/** The state of a world by its name. The same at every making. Throws when its books are not the chain's. */
export async function madeWorld(name: string): Promise<Uint8Array> {
  const sim = await createSimulator({
    engine: 'litesvm',
    seed: 1,
    time: 'frozen',
    startTime: '2026-01-01T09:00:00Z',
  });
  try {
    await WORLDS[name]?.(sim);
    const [broken] = await sim.invariants();
    if (broken !== undefined) throw new Error(`${name}: ${broken.rule}: ${broken.text}`);
    return await sim.exportState();
  } finally {
    await sim.close();
  }
}
