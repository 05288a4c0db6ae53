import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createSimulator } from '../../src/simulator/simulator.js';
import { agentWith, world } from '../support/world.js';

describe('oracle', () => {
  it('plays the series of a CSV through a world and reports each change', async () => {
    const csv = readFileSync(new URL('../../fixtures/rates-2026.csv', import.meta.url), 'utf8');
    const sim = await world({ oracle: { csv } });
    const agent = await agentWith(sim, 0, { usdc: 1_000 });
    await agent.depositSavings({ amount: 1_000, token: 'USDC' });
    const fired = await sim.advance({ to: '2026-03-10T00:00:00Z' });
    expect(fired.filter(({ kind }) => kind === 'yield.changed')).toHaveLength(10);
    expect([sim.oracle.apy('USDC'), sim.oracle.price('SOL')]).toEqual([0.052, 121]);
    expect((await agent.account()).apy.usdc).toBe(0.052);
    expect(await sim.invariants()).toEqual([]);
  });
});

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
