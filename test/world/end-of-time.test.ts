import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LAST_CLOCK_MS } from '../../src/core/domain/calendar.js';
import { createSimulator } from '../../src/index.js';
import { kept } from '../persistence/durable/support.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { ENGINES, agentWith, world, worldWithAgent } from '../support/world.js';

describe.each(ENGINES)('last instant of the clock on %s', (engine) => {
  it('stops a fast-running world at the last instant, where it keeps answering, also after a restart', async () => {
    const wall = { ms: 0 };
    const dir = temporaryFolder();
    const options = { engine, time: '1000000000x', startTime: '9990-01-01' } as const;
    const sim = await kept(dir, options, { wall: () => wall.ms });
    const agent = await agentWith(sim, 0, { usdc: 50 });
    wall.ms += 10_000_000;
    expect(sim.now().getTime()).toBe(LAST_CLOCK_MS);
    await agent.signIn();
    expect((await agent.account()).checking.usdc).toBe(50);
    await agent.depositSavings({ amount: 1, token: 'USDC' });
    await sim.close();
    const again = await createSimulator({ dataDir: dir });
    const same = again.agent(0);
    await same.signIn();
    expect((await same.account()).checking.usdc).toBe(49);
    await again.close();
  });

  it('ends delays of a frozen world', async () => {
    const { sim, agent } = await worldWithAgent({ usdc: 50, engine });
    for (let delay = 0; delay < 2; delay += 1)
      sim.faults.add({ endpoint: 'savingsDeposit', effect: 'delay', delay: '9000y', when: { nth: 1 } });
    await agent.depositSavings({ amount: 1, token: 'USDC' }).catch(() => undefined);
    expect(sim.now().getTime()).toBe(LAST_CLOCK_MS);
    sim.faults.clear();
    await agent.signIn();
    expect((await agent.account()).checking.usdc).toBeGreaterThan(0);
    await expect(sim.advance('1s')).rejects.toThrow(/year 9999/);
  });
});

it('payment requests of the last hour expire with the clock, and can be paid', async () => {
  const sim = await world({ startTime: '9999-12-31T23:30:00Z' });
  const [payer, payee] = [await agentWith(sim, 0, { usdc: 50 }), await agentWith(sim, 1)];
  const requested = await payee.requestPayment({ amount: 5, token: 'USDC' });
  const { recipient, amount, token, expires_at: expiry } = requested.payment_request;
  expect(Date.parse(expiry)).toBe(LAST_CLOCK_MS);
  const request = { payment_request: requested.headers['X-Payment-Request'] as string };
  expect(await payer.pay({ recipient, amount, token, ...request })).toMatchObject({ success: true });
});

it('rejects a delay beyond the last instant of the clock', async () => {
  const sim = await world();
  expect(() => sim.faults.add({ endpoint: 'savingsDeposit', effect: 'delay', delay: '273000y' })).toThrow();
});

it('advances a running world while the machine clock is set back', async () => {
  const now = Date.now;
  let setBackMs = 0;
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => now() - setBackMs);
  onTestFinished(() => spy.mockRestore());
  const sim = await world({ time: 'real' });
  const before = sim.now().getTime();
  setBackMs = 86_400_000;
  await vi.waitFor(() => expect(sim.now().getTime()).toBeGreaterThan(before));
});
