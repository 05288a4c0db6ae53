import { describe, expect, it, onTestFinished } from 'vitest';
import { type Simulator, type SimulatorOptions, createSimulator } from '../../src/index.js';
import { Campaign } from '../bank/campaign.js';
import { ENGINES, world } from '../support/world.js';

/** A world that goes on from a state, closed when the test ends. */
async function from(state: Uint8Array, more: SimulatorOptions = {}): Promise<Simulator> {
  const sim = await createSimulator({ state, ...more });
  onTestFinished(() => sim.close());
  return sim;
}

describe.each(ENGINES)('a state on %s', (engine) => {
  it('is after its import what it was, byte for byte', async () => {
    const sim = await world({ engine, seed: 'state' });
    const campaign = new Campaign(sim, 'state', { hasFaults: true });
    await campaign.start(3);
    for (let step = 0; step < 400; step += 1) await campaign.step();
    const state = await sim.exportState();
    const other = await from(state);
    expect(other.config.engine).toBe(engine);
    expect(await other.dump()).toBe(await sim.dump());
    expect(Buffer.compare(await other.exportState(), state)).toBe(0);
    expect(await other.invariants()).toEqual([]);
    expect(await other.advance('1y')).toEqual(await sim.advance('1y'));
    expect(await other.dump()).toBe(await sim.dump());
  });
});
