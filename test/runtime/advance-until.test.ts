import { describe, expect, it } from 'vitest';
import { ControlClient, ControlError } from '../../src/api/control/client.js';
import { EventNotDue } from '../../src/runtime/refusals.js';
import { dumpOf } from '../support/dump.js';
import { ENGINES, world, worldWithAgent } from '../support/world.js';

describe.each(ENGINES)('jump until an event on %s', (engine) => {
  it('is rejected when the event does not happen within ten years, and changes nothing', async () => {
    const { sim, agent } = await worldWithAgent({ usdc: 500, engine });
    await agent.depositSavings({ amount: 400, token: 'USDC' });
    const [before, seen] = [await dumpOf(sim), sim.events.last];
    const refused = sim.advance({ until: 'loan.due' });
    await expect(refused).rejects.toThrow(EventNotDue);
    await expect(refused).rejects.toThrow(
      /^No loan\.due occurs within 10y, until 2035-12-30T00:00:00\.000Z; the clock has not moved\..*within, such as 20y/,
    );
    expect(await dumpOf(sim)).toBe(before);
    expect(sim.events.last).toBe(seen);
    const { origin } = await sim.listen();
    const overHttp = new ControlClient({ origin }).do('advance', { body: { until: 'loan.due' } });
    await expect(overHttp).rejects.toThrow(ControlError);
    await expect(overHttp).rejects.toMatchObject({ status: 400, code: 'event_not_due' });
    expect(await dumpOf(sim)).toBe(before);
  });

  it('ends after the given time when the event does not happen within it', async () => {
    const sim = await world({ engine });
    const fired = await sim.advance({ until: 'loan.due', within: '1y' });
    expect([fired, sim.now().toISOString()]).toEqual([[], '2027-01-01T00:00:00.000Z']);
  });

  it('reaches an event that follows from another due event', async () => {
    const { sim, agent } = await worldWithAgent({ engine, variants: { review: 'delay:2h' } });
    await agent.applyForLoan({ amount: 100, purpose: 'task', duration: 30 });
    const fired = await sim.advance({ until: 'loan.defaulted' });
    expect(fired.map(({ kind }) => kind)).toEqual(['review.decided', 'loan.due', 'loan.defaulted']);
  });
});
