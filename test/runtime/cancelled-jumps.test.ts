import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ControlClient } from '../../src/api/control/client.js';
import type { Simulator } from '../../src/index.js';
import { Clock } from '../../src/world/clock.js';
import { asKilledNow, kept } from '../persistence/durable/support.js';
import { dumpOf } from '../support/dump.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { ENDLESS, abortedAfter } from '../support/endless.js';
import { ENGINES, agentWith, world } from '../support/world.js';

/** The last events of a kind. */
function eventsOf(sim: Simulator, kind: string): readonly object[] {
  return sim.events
    .page({ after: Math.max(0, sim.events.last - 50), limit: 20_000 })
    .events.map(({ body }) => body)
    .filter((body) => body.kind === kind);
}

describe.each(ENGINES)('cancelled jump on %s', (engine) => {
  it('ends at the instant it has reached, like a jump to that instant', async () => {
    const [sim, twin] = await Promise.all([world({ engine, ...ENDLESS }), world({ engine, ...ENDLESS })]);
    const fromMs = sim.now().getTime();
    for (const each of [sim, twin]) await agentWith(each, 0, { usdc: 100 });
    const signal = abortedAfter(sim, 1_200);
    await expect(sim.advance('30d', { signal })).rejects.toThrow('enough');
    expect(sim.now().getTime()).toBeGreaterThanOrEqual(fromMs + 1_000);
    expect(sim.now().getTime()).toBeLessThanOrEqual(fromMs + 1_300);
    expect(eventsOf(sim, 'clock')).toEqual([{ kind: 'clock', how: 'advanced', fromMs, mode: 'frozen' }]);
    expect(await sim.invariants()).toEqual([]);
    await twin.advance({ to: sim.now() });
    expect(await dumpOf(sim)).toBe(await dumpOf(twin));
    await sim.advance('10ms');
    await twin.advance('10ms');
    expect(await dumpOf(sim)).toBe(await dumpOf(twin));
  });

  it('runs all due events of that instant', async () => {
    const sim = await world({ engine });
    for (const at of [0, 1, 2]) {
      const agent = await agentWith(sim, at);
      const { application } = await agent.applyForLoan({ amount: 100, purpose: 'task', duration: 30 });
      await sim.reviews.approve(application.id);
    }
    const dues = sim.reviews.loans().loans.map(({ dueDate }) => dueDate);
    expect(new Set(dues).size).toBe(1);
    const signal = abortedAfter(sim, 1);
    await expect(sim.advance('90d', { signal })).rejects.toThrow('enough');
    expect(sim.now().toISOString()).toBe(dues[0]);
    expect(sim.reviews.loans().loans.map(({ status }) => status)).toEqual(['overdue', 'overdue', 'overdue']);
  });
});

it('a jump that has reached its end is not cancelled', async () => {
  const sim = await world(ENDLESS);
  const endMs = sim.now().getTime() + 5;
  const signal = abortedAfter(sim, 5);
  expect(await sim.advance(5, { signal })).toHaveLength(5);
  expect(sim.now().getTime()).toBe(endMs);
});

it('a jump that is cancelled before its turn does not begin', async () => {
  const sim = await world(ENDLESS);
  const [before, seen] = [await dumpOf(sim), sim.events.last];
  await expect(sim.advance('30d', { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
  expect([await dumpOf(sim), sim.events.last]).toEqual([before, seen]);
  const [first, second] = [abortedAfter(sim, 700), new AbortController()];
  const jumps = [sim.advance('30d', { signal: first }), sim.advance('30d', { signal: second.signal })];
  second.abort(new Error('gone'));
  const told = await Promise.allSettled(jumps);
  expect(told.map((each) => each.status === 'rejected' && String(each.reason))).toEqual([
    'Error: enough',
    'Error: gone',
  ]);
  expect(eventsOf(sim, 'clock')).toHaveLength(1);
});

it('a cancelled search for an event leaves the world unchanged', async () => {
  const sim = await world(ENDLESS);
  const before = await dumpOf(sim);
  const controller = new AbortController();
  let jumps = 0;
  const jumpTo = Reflect.get<Clock, 'jumpTo'>(Clock.prototype, 'jumpTo');
  const spy = vi.spyOn(Clock.prototype, 'jumpTo').mockImplementation(function (this: Clock, atMs) {
    if (atMs > this.nowMs()) jumps += 1;
    if (jumps === 600) controller.abort(new Error('enough'));
    jumpTo.call(this, atMs);
  });
  onTestFinished(() => spy.mockRestore());
  await expect(sim.advance({ until: 'loan.due' }, { signal: controller.signal })).rejects.toThrow('enough');
  expect(jumps).toBe(600);
  expect(await dumpOf(sim)).toBe(before);
});

describe('over HTTP,', () => {
  it('a jump ends with its connection, and waiting calls continue', async () => {
    const sim = await world(ENDLESS);
    const fromMs = sim.now().getTime();
    const control = new ControlClient({ origin: (await sim.listen()).origin });
    const signal = abortedAfter(sim, 100);
    const jump = control.do('advance', { body: { by: '30d' }, signal });
    await expect(jump).rejects.toThrow('enough');
    const { now } = await control.do('time');
    expect(now).toBe(sim.now().toISOString());
    expect(sim.now().getTime()).toBeGreaterThan(fromMs);
    expect(eventsOf(sim, 'clock')).toHaveLength(1);
    const request = eventsOf(sim, 'request').find((event) => 'code' in event && event.code !== null);
    expect(request).toMatchObject({ operation: 'advance', status: null, code: 'caller_left' });
    expect((await control.do('advance', { body: { by: '5ms' } })).fired).toHaveLength(5);
    expect(await sim.invariants()).toEqual([]);
  });

  it('an in-process request is rejected with the reason of its signal once the jump has ended', async () => {
    const sim = await world(ENDLESS);
    const signal = abortedAfter(sim, 100);
    const init = { method: 'POST', body: JSON.stringify({ by: '30d' }), signal };
    await expect(sim.fetch('/_sim/v1/time/advance', init)).rejects.toThrow('enough');
    expect(eventsOf(sim, 'clock')).toHaveLength(1);
  });
});

it('the effects of a cancelled jump are in the data folder', async () => {
  const dataDir = temporaryFolder();
  const sim = await kept(dataDir, ENDLESS);
  const agent = await agentWith(sim, 0, { usdc: 100 });
  await agent.depositSavings({ amount: 50, token: 'USDC' });
  await expect(sim.advance('30d', { signal: abortedAfter(sim, 1_200) })).rejects.toThrow('enough');
  const again = await kept(asKilledNow(dataDir), { limits: ENDLESS.limits });
  expect(again.now()).toEqual(sim.now());
  expect(await dumpOf(again)).toBe(await dumpOf(sim));
});
