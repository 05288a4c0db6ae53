import { describe, expect, it } from 'vitest';
import { createSimulator } from '../../../src/simulator/simulator.js';
import { expectRefusal, world, worldWithAgent, worldWithControl } from '../../support/world.js';

describe('planned rate or price', () => {
  it('is listed until its instant, then applies and fires a due event', async () => {
    const { sim, control } = await worldWithControl();
    const from = '2026-01-11T00:00:00.000Z';
    expect(await control.do('setApy', { body: { token: 'USDC', source: 0.5, from } })).toMatchObject({
      apy: { USDC: 0.017 },
      planned: [{ at: from, kind: 'apy', token: 'USDC' }],
    });
    sim.oracle.setPrice('SOL', 99, { from: new Date('2026-01-21') });
    const { fired } = await control.do('advance', { body: { by: '30d' } });
    expect(fired.filter(({ kind }) => kind.endsWith('.changed'))).toEqual([
      { at: from, kind: 'yield.changed', subject: 'USDC' },
      { at: '2026-01-21T00:00:00.000Z', kind: 'price.changed', subject: 'SOL' },
    ]);
    expect(await control.do('oracle')).toMatchObject({
      apy: { USDC: 0.5 },
      usd: { SOL: 99 },
      planned: [],
    });
  });

  it('as a series does not apply before its first point', async () => {
    const sim = await world();
    sim.oracle.setPrice('SOL', { series: [{ at: '2026-01-05', value: 7 }] });
    expect(sim.oracle.price('SOL')).toBe(150);
    await sim.advance({ until: 'price.changed' });
    expect([sim.now().toISOString(), sim.oracle.price('SOL')]).toEqual(['2026-01-05T00:00:00.000Z', 7]);
  });
});

describe('loaded series', () => {
  it('changes only the tokens that it contains, from now or from a given instant', async () => {
    const { control } = await worldWithControl();
    const csv = 'time,usdc_apy,sol_usd\n2025-12-01,0.03,\n2026-01-03,0.04,111\n';
    expect(await control.do('loadSeries', { body: { csv } })).toMatchObject({
      apy: { USDC: 0.03, SOL: 0.052 },
      usd: { SOL: 150 },
    });
    const { fired } = await control.do('advance', { body: { by: '3d' } });
    expect(fired.map(({ kind, subject }) => `${kind} ${subject}`)).toEqual([
      'yield.changed USDC',
      'price.changed SOL',
    ]);
    const series = { sol_usd: [{ at: '2026-01-01', value: 5 }] };
    await control.do('loadSeries', { body: { series, from: '2026-01-10' } });
    expect(await control.do('oracle')).toMatchObject({ usd: { SOL: 111 }, planned: [{ kind: 'usd' }] });
    await control.do('advance', { body: { by: '30d' } });
    expect(await control.do('oracle')).toMatchObject({ usd: { SOL: 5 } });
  });

  it('is rejected with the faulty line or member and changes nothing', async () => {
    const { sim, control } = await worldWithControl();
    for (const [body, text] of [
      [{ csv: 'time,usdc_apy\n2026-01-01,0.1\nsoon,0.2' }, 'line 3: "soon"'],
      [{ csv: 'time,usdc_apy\n' }, 'no value'],
      [{ series: {} }, 'no value'],
      [{ series: { usdc_apy: [] } }, 'series'],
      [{ series: { eur_usd: [{ at: '2026-01-01', value: 1 }] } }, 'eur_usd'],
      [{ csv: 'time,usdc_apy\n2026-01-01,0.1', from: '2020-01-01' }, 'has passed'],
    ] as [never, string][]) {
      await expectRefusal(control.do('loadSeries', { body }), text);
    }
    expect(sim.oracle.apy('USDC')).toBe(0.017);
  });
});

describe('stale oracle', () => {
  // What its values are meanwhile: test/world/timeline.test.ts.
  it('makes withdrawals fail when prices are too old, while savings earn by the published rate', async () => {
    const { sim, control, agent } = await worldWithAgent({
      usdc: 1_000,
      sol: 1,
      oracle: { solUsd: { walk: { start: 100, every: '10m', step: 0.1 } } },
    });
    await agent.depositSavings({ amount: 500, token: 'USDC' });
    await sim.advance('25m');
    const asOf = '2026-01-01T00:25:00.000Z';
    expect(await control.do('setStale', { body: { stale: true } })).toMatchObject({ stale: true, asOf });
    sim.oracle.setApy('USDC', 0.9);
    expect(await sim.advance('1h')).toEqual([]);
    await agent.withdraw({ amount: 0.01, token: 'SOL' });
    await sim.advance(1);
    await expect(agent.withdraw({ amount: 0.01, token: 'SOL' })).rejects.toMatchObject({
      code: 'oracle_unavailable',
      message: expect.stringContaining('too old'),
      details: { price_as_of: asOf, max_age_seconds: 3_600 },
    });
    await sim.advance({ to: '2027-01-01T00:00:00Z' });
    expect(await agent.account()).toMatchObject({ checking: { sol: 0.99 }, yield_earned: { usdc: 8.5 } });
    expect(await control.do('setStale', { body: { stale: false } })).toMatchObject({
      stale: false,
      asOf: '2027-01-01T00:00:00.000Z',
      apy: { USDC: 0.9 },
    });
    await agent.withdraw({ amount: 0.01, token: 'SOL' });
  });

  it('serves prices until oracle.maxAge, or without limit when it is off', async () => {
    for (const [maxAge, good] of [
      ['2d', '2d'],
      ['off', '100y'],
    ] as const) {
      const { sim, agent } = await worldWithAgent({ usdc: 10, oracle: { maxAge } });
      sim.oracle.setStale(true);
      await sim.advance(good);
      await agent.withdraw({ amount: 1, token: 'USDC' });
      await sim.advance(1);
      const late = agent.withdraw({ amount: 1, token: 'USDC' });
      if (maxAge === 'off') await late;
      else await expect(late).rejects.toMatchObject({ code: 'oracle_unavailable' });
    }
    await expect(createSimulator({ oracle: { maxAge: 'long' } })).rejects.toThrow('oracle.maxAge');
  });
});
