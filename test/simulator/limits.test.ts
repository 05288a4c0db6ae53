import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSimulator } from '../../src/index.js';
import { ENGINES, controlOf, world, worldWithAgent } from '../support/world.js';

const EVERY_MS = { solUsd: { walk: { start: 150, every: '1ms', step: 0.01 } } } as const;

describe.each(ENGINES)('limit of a world on %s', (engine) => {
  it('ends a jump with too many due events and states where the clock is', async () => {
    const sim = await world({ engine, oracle: EVERY_MS, limits: { jumpEvents: 2_000 } });
    const from = sim.now().getTime();
    await expect(sim.advance('30d')).rejects.toThrow(/stopped at \S+ after 2000 events.* jumpEvents/);
    const passedMs = sim.now().getTime() - from;
    expect(passedMs).toBeGreaterThan(500);
    expect(passedMs).toBeLessThan(10_000);
    expect(await sim.invariants()).toEqual([]);
  });

  it('shortens the list of due events in a response and counts the rest', async () => {
    const sim = await world({ engine, oracle: EVERY_MS });
    const { fired, omitted } = await controlOf(sim).do('advance', { body: { by: '15s' } });
    expect(fired).toHaveLength(10_000);
    expect(omitted).toBeGreaterThan(1_000);
  });

  it('rejects faults and snapshots above their number', async () => {
    const sim = await world({ engine, limits: { faults: 2, snapshots: 2 } });
    const fault = { endpoint: 'account', effect: 'lose-response' } as const;
    for (let at = 0; at < 2; at += 1) {
      sim.faults.add(fault);
      await sim.snapshot();
    }
    expect(() => sim.faults.add(fault)).toThrow('the limit faults');
    await expect(sim.snapshot()).rejects.toThrow('the limit snapshots');
  });
});

it(
  'a call that asks for savings after a hundred thousand changes of their rate lets other calls pass',
  { tags: ['slow'] },
  async () => {
    const { sim, agent } = await worldWithAgent({
      usdc: 50,
      oracle: { usdcApy: { walk: { start: 0.05, every: '1s', step: 0.5 } } },
    });
    await agent.depositSavings({ amount: 50, token: 'USDC' });
    const from = sim.now().getTime();
    sim.setTime('1000000000x');
    while (sim.now().getTime() < from + 2 * 86_400_000) await setImmediate();
    sim.setTime('frozen');
    const order: string[] = [];
    await Promise.all([
      agent.account().then(() => order.push('account')),
      sim.fetch('/api/v1/agent/account/savings/yield').then(() => order.push('rates')),
    ]);
    expect(order).toEqual(['rates', 'account']);
  },
);

it('a world can be closed during a long jump', async () => {
  const sim = await createSimulator({ engine: 'litesvm', time: 'frozen', oracle: EVERY_MS });
  const jump = sim.advance('30d');
  const ended = expect(jump).rejects.toThrow('closed while time passed');
  await setImmediate();
  await sim.close();
  await ended;
});
