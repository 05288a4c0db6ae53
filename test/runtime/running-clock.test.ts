import { expect, it } from 'vitest';
import type { SimulatorOptions } from '../../src/runtime/config.js';
import type { Simulator } from '../../src/simulator/simulator.js';
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

type Passing = (sim: Simulator, wall: { ms: number }) => Promise<unknown>;

/** Ways in which a world comes to an instant much later, at which the first call is made. */
const LATER: [how: string, pass: Passing][] = [
  ['a jump', (sim) => sim.advance('40d')],
  [
    'a fast clock without calls',
    async (sim, wall) => {
      sim.setTime('1000x');
      wall.ms += (40 * DAY_MS) / 1_000;
    },
  ],
  [
    'a jump of a fast clock that runs on',
    async (sim, wall) => {
      sim.setTime('1000x');
      wall.ms += 40;
      await sim.advance('40d');
    },
  ],
  [
    'a clock without calls whose mode is set before the first one',
    async (sim, wall) => {
      sim.setTime('1000x');
      wall.ms += (40 * DAY_MS) / 1_000;
      sim.setTime('frozen');
    },
  ],
];

it.each(LATER)(
  'the money of a lost transfer is there for a loan that defaults later, after %s',
  async (_how, pass) => {
    const { sim, wall } = await timedWorld({ limits: { setOffShare: 1, tokenSeconds: 31_536_000 } }, 0.01);
    const agent = sim.agent(0);
    await agent.fund(500, 'USDC');
    const { application } = await agent.applyForLoan({ amount: 300, purpose: 'task', duration: 1 });
    sim.reviews.approve(application.id);
    sim.faults.add({ endpoint: 'withdraw', effect: 'drop-transaction', when: { nth: 1 } });
    await agent.withdraw({ amount: 790, token: 'USDC' });
    await pass(sim, wall);
    await agent.account();
    expect(sim.reviews.loan(application.id).status).toBe('repaid');
    expect(await sim.invariants()).toEqual([]);
  },
);

it.each([
  ['the money of a lost transfer returns', 'drop-transaction'],
  ['a delayed transfer expires', 'delay-transaction'],
] as const)(
  '%s when its blockhash has expired, and not earlier, while the clock runs',
  async (_what, effect) => {
    const { sim, wall } = await timedWorld({ time: 'real' });
    const agent = sim.agent(0);
    await agent.fund(50, 'USDC');
    const delay = effect === 'delay-transaction' ? { delay: '61s' } : {};
    sim.faults.add({ endpoint: 'withdraw', effect, ...delay, when: { nth: 1 } });
    await agent.withdraw({ amount: 30, token: 'USDC' });
    const seen: unknown[] = [];
    for (const passMs of [59_000, 2_500]) {
      wall.ms += passMs;
      seen.push((await agent.account()).checking.usdc);
    }
    expect(seen).toEqual([20, 50]);
  },
);

it.each<[how: string, pass: Passing]>([
  ['without calls', async () => undefined],
  [
    'whose mode is set before the first call',
    async (sim) => {
      sim.setTime('60x');
      sim.setTime('frozen');
    },
  ],
  [
    'that is reverted before the first call',
    async (sim) => {
      await sim.revert(await sim.snapshot());
    },
  ],
])('a delayed transfer arrives at its own instant on a running clock %s', async (_how, pass) => {
  const { sim, wall } = await timedWorld({ time: 'real' });
  const agent = sim.agent(0);
  await agent.fund(50, 'USDC');
  sim.faults.add({ endpoint: 'withdraw', effect: 'delay-transaction', delay: '5s', when: { nth: 1 } });
  await agent.withdraw({ amount: 30, token: 'USDC' });
  wall.ms += 120_000;
  await pass(sim, wall);
  expect((await agent.account()).checking.usdc).toBe(20);
  expect((await agent.transactions({ limit: 1 })).transactions[0]?.status).toBe('completed');
  expect(await sim.invariants()).toEqual([]);
});

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
