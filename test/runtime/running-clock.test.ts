import { expect, it } from 'vitest';
import type { SimulatorOptions } from '../../src/runtime/config.js';
import { world } from '../support/world.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A frozen world whose clock runs by `wall.ms` once its time is real. */
async function timedWorld(options: SimulatorOptions = {}, tickMs = 0) {
  const wall = { ms: 0 };
  const sim = await world(
    { startTime: '2026-01-01T12:00:00Z', ...options },
    { wall: () => (wall.ms += tickMs) },
  );
  return { sim, wall };
}

it.each(['litesvm', 'bankrun'] as const)(
  'a delayed transfer arrives once, however many calls meet its instant together, on %s',
  async (engine) => {
    const { sim, wall } = await timedWorld({ engine });
    const agent = sim.agent(0);
    await agent.fund(50, 'USDC');
    sim.faults.add({ endpoint: 'withdraw', effect: 'delay-transaction', delay: '1s', when: { nth: 1 } });
    await agent.withdraw({ amount: 30, token: 'USDC' });
    sim.setTime('real');
    wall.ms += 1_100;
    await Promise.all([agent.yieldRates(), agent.yieldRates(), agent.account()]);

    const [withdrawal] = (await agent.transactions({ limit: 1 })).transactions;
    expect([(await agent.account()).checking.usdc, withdrawal?.status]).toEqual([20, 'completed']);
    expect(await sim.invariants()).toEqual([]);
  },
);

it('each of many calls sees what fell due before them', async () => {
  const { sim, wall } = await timedWorld({ variants: { withdrawals: 'queued' }, withdrawalDelay: '1h' });
  const agent = sim.agent(0);
  await agent.fund(50, 'USDC');
  for (const amount of [1, 2, 3]) await agent.withdraw({ amount, token: 'USDC' });
  sim.setTime('real');
  wall.ms += 2 * HOUR_MS;
  const seen = await Promise.all(Array.from({ length: 5 }, () => agent.transactions({ limit: 3 })));
  expect(seen.flatMap(({ transactions }) => transactions.map(({ status }) => status))).toEqual(
    Array.from({ length: 15 }, () => 'completed'),
  );
});

it('savings are recalled once when withdrawals and the settlement of a day need them together', async () => {
  const { sim, wall } = await timedWorld({ limits: { dailyWithdrawalUsd: 1e9 }, engine: 'bankrun' });
  const agent = sim.agent(0);
  await sim.setBalance(agent.wallet.address, 6e8, 'USDC');
  await agent.fund(5e8, 'USDC');
  await agent.depositSavings({ amount: 5e8, token: 'USDC' });
  await sim.advance('1d');
  await agent.withdrawSavings({ amount: 4e8, token: 'USDC' });
  sim.setTime('real');
  wall.ms += DAY_MS;
  await Promise.all([
    agent.withdraw({ amount: 2e8, token: 'USDC' }),
    agent.withdraw({ amount: 1e8, token: 'USDC' }),
    agent.account(),
  ]);
  expect(await sim.invariants()).toEqual([]);
});

it('savings are moved once when two settlements run at once', async () => {
  const { sim } = await timedWorld();
  const agent = sim.agent(0);
  await agent.fund(100, 'USDC');
  await agent.depositSavings({ amount: 60, token: 'USDC' });
  const { settlement } = sim.bank;
  await Promise.all([settlement.settleSavings(), settlement.settleSavings()]);
  expect(sim.bank.books.state.totals.protocol.USDC).toBe(60_000_000n);
});

it('a call acts at the instant for which it has carried out what is due', async () => {
  const { sim } = await timedWorld({ limits: { tokenSeconds: 3_000_000, lateFeeUsd: 50 } }, 0.05);
  const agent = sim.agent(0);
  await agent.fund(50_000, 'USDC');
  const records = new Set<string>();
  // At 60,000 times the speed each look at the clock is three seconds later, so that some look at it before and after the due date.
  for (let beforeMs = 1_000; beforeMs <= 90_000; beforeMs += 1_000) {
    const { application } = await agent.applyForLoan({ amount: 100, purpose: 'task', duration: 1 });
    sim.reviews.approve(application.id);
    await sim.advance(DAY_MS - beforeMs);
    sim.setTime('60000x');
    await agent.repayLoan(application.id, { amount: 1_000 });
    sim.setTime('frozen');
    const loan = sim.reviews.loan(application.id);
    const { books } = sim.bank;
    const repaidMs = books.entryAt(books.state.seq).atMs;
    records.add(`${repaidMs >= Date.parse(loan.dueDate ?? '') ? 'late' : 'in time'}: ${loan.record}`);
  }
  expect([...records].toSorted()).toEqual(['in time: clean', 'late: overdue']);
});
