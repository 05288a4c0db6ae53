import { describe, expect, it } from 'vitest';
import { createSimulator } from '../../src/simulator/simulator.js';
import { world } from '../support/world.js';

describe('values that would break a world', () => {
  it('are rejected as options, by name', async () => {
    for (const [options, text] of [
      [{ time: '0x' }, 'time'],
      [{ seed: 1.5 }, 'seed'],
      [{ oracle: { csv: 'x' } }, 'oracle.csv: line 1'],
      [{ variants: { errorStatus: { not_found: 418 } } }, 'variants.errorStatus.not_found'],
      [{ withdrawalDelay: 'soon' }, 'withdrawalDelay'],
    ] as const) {
      await expect(createSimulator(options as never)).rejects.toThrow(text);
    }
  });

  it('are rejected when they are set', async () => {
    const sim = await world();
    for (const apy of [-0.01, Number.NaN, Infinity, 1e30]) {
      expect(() => sim.oracle.setApy('USDC', apy)).toThrow(RangeError);
      expect(() => sim.oracle.setPrice('SOL', apy)).toThrow(RangeError);
    }
    expect(() => sim.setTime('slow')).toThrow('60x');
    await expect(sim.advance('300000y')).rejects.toThrow(RangeError);
    await expect(sim.advance({ to: 'never' })).rejects.toThrow('not an instant');
    expect((await sim.agent(0).signIn()).wallet).toBe(sim.wallets[0]?.address);
  });
});
