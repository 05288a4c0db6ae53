import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { SimulatorOptions } from '../../src/runtime/config.js';
import type { AgentClient } from '../../src/sdk/client/client.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { dumpOf } from '../support/dump.js';
import { world } from '../support/world.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * A frozen world whose clock runs by `wall.ms` once its time is real, and an agent with USDC. When the test ends, the books must be
 * sound and equal the chain.
 */
async function timedWorld(usdc: number, options: SimulatorOptions = {}, tickMs = 0) {
  const wall = { ms: 0 };
  const sim = await world(
    { startTime: '2026-01-01T12:00:00Z', ...options },
    { wall: () => (wall.ms += tickMs) },
  );
  onTestFinished(async () => expect(await sim.invariants()).toEqual([]));
  const agent = sim.agent(0);
  if (usdc > 0) await agent.fund(usdc, 'USDC');
  return { sim, wall, agent };
}

it.each(['litesvm', 'bankrun'] as const)(
  'a delayed transfer arrives once, however many calls meet its instant together, on %s',
  async (engine) => {
    const { sim, wall, agent } = await timedWorld(50, { engine });
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
    const { sim, wall, agent } = await timedWorld(
      500,
      { limits: { setOffShare: 1, tokenSeconds: 31_536_000 } },
      0.01,
    );
    const { application } = await agent.applyForLoan({ amount: 300, purpose: 'task', duration: 1 });
    await sim.reviews.approve(application.id);
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
    const { sim, wall, agent } = await timedWorld(50, { time: 'real' });
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
  const { sim, wall, agent } = await timedWorld(50, { time: 'real' });
  sim.faults.add({ endpoint: 'withdraw', effect: 'delay-transaction', delay: '5s', when: { nth: 1 } });
  await agent.withdraw({ amount: 30, token: 'USDC' });
  wall.ms += 120_000;
  await pass(sim, wall);
  expect((await agent.account()).checking.usdc).toBe(20);
  expect((await agent.transactions({ limit: 1 })).transactions[0]?.status).toBe('completed');
});

it('each of many calls sees what fell due before them', async () => {
  const { sim, wall, agent } = await timedWorld(50, {
    variants: { withdrawals: 'queued' },
    withdrawalDelay: '1h',
  });
  for (const amount of [1, 2, 3]) await agent.withdraw({ amount, token: 'USDC' });
  sim.setTime('real');
  wall.ms += 2 * HOUR_MS;
  const seen = await Promise.all(Array.from({ length: 5 }, () => agent.transactions({ limit: 3 })));
  expect(seen.flatMap(({ transactions }) => transactions.map(({ status }) => status))).toEqual(
    Array.from({ length: 15 }, () => 'completed'),
  );
});

it('savings are recalled once when withdrawals and the settlement of a day need them together', async () => {
  const { sim, wall, agent } = await timedWorld(0, {
    limits: { dailyWithdrawalUsd: 1e9 },
    engine: 'bankrun',
  });
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
});

it('a call acts at the instant for which it has carried out what is due', async () => {
  const { sim, agent } = await timedWorld(
    50_000,
    { limits: { tokenSeconds: 3_000_000, lateFeeUsd: 50 } },
    0.05,
  );
  const records = new Set<string>();
  // At 60,000 times the speed each look at the clock is three seconds later, so that some look at it before and after the due date.
  for (let beforeMs = 1_000; beforeMs <= 90_000; beforeMs += 1_000) {
    const { application } = await agent.applyForLoan({ amount: 100, purpose: 'task', duration: 1 });
    await sim.reviews.approve(application.id);
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

/** The instant of the first journal entry of a kind. */
function instantOf({ bank: { books } }: Simulator, kind: string): number | undefined {
  const entries = Array.from({ length: books.state.seq }, (_, at) => books.entryAt(at + 1));
  return entries.find(({ facts }) => facts.kind === kind)?.atMs;
}

it('a look at the rates, a dump or a state file does not change when collateral is liquidated', async () => {
  const liquidatedAt = async (first: (sim: Simulator, agent: AgentClient) => Promise<unknown>) => {
    const { sim, wall, agent } = await timedWorld(1_000, {
      limits: { liquidationLtv: 0.7, collateralApr: 5, tokenSeconds: 31_536_000 },
      oracle: { usdcApy: { walk: { start: 0.9, every: '1h', step: 0.01, min: 0.5, max: 1 } } },
    });
    await agent.depositSavings({ amount: 1_000, token: 'USDC' });
    await agent.borrow({ amount: 690 });
    sim.setTime('real');
    wall.ms += 60 * DAY_MS;
    await first(sim, agent);
    await agent.account();
    return instantOf(sim, 'collateral.liquidated');
  };
  const seen = [
    await liquidatedAt((sim) => sim.advance(0)),
    await liquidatedAt((_, agent) => agent.account()),
    await liquidatedAt((_, agent) => Promise.all([agent.yieldRates(), agent.account()])),
    await liquidatedAt((sim) => dumpOf(sim)),
    await liquidatedAt((sim) => sim.exportState()),
    await liquidatedAt((sim, { wallet }) => sim.customers.get(wallet.address)),
  ];
  expect(new Set(seen)).toEqual(new Set([Date.parse('2026-01-03')]));
});

it('what is due is done before the operator acts', async () => {
  const { sim, wall, agent } = await timedWorld(500, { limits: { tokenSeconds: 31_536_000 } });
  const loan = async (duration: number) =>
    (await agent.applyForLoan({ amount: 100, purpose: 'task', duration })).application.id;
  const overdue = await loan(1);
  await sim.reviews.approve(overdue);
  sim.reviews.setPolicy('delay:1h');
  const decided = await loan(30);
  const { address } = agent.wallet;
  sim.setTime('real');
  wall.ms += 2 * DAY_MS;
  await sim.linkIdentity(address, { x: true, github: true });
  expect(sim.reviews.loan(overdue).status).toBe('overdue');
  for (const verb of ['approve', 'deny'] as const)
    await expect(sim.reviews[verb](decided)).rejects.toThrow('is already decided');
  for (const verb of ['setOverdue', 'default', 'cure'] as const) {
    wall.ms += 40 * DAY_MS;
    await sim.reviews[verb](overdue).catch(() => undefined);
    expect(sim.bank.books.state.due?.item.atMs ?? Infinity).toBeGreaterThan(sim.now().getTime());
  }
});

it.each(['balance', 'account'] as const)('what is due is done before a %s is written', async (what) => {
  const { sim, wall, agent } = await timedWorld(500);
  sim.reviews.setPolicy('delay:1h');
  const { application } = await agent.applyForLoan({ amount: 100, purpose: 'task', duration: 30 });
  sim.setTime('real');
  wall.ms += 2 * HOUR_MS;
  const { address } = agent.wallet;
  if (what === 'balance') await sim.setBalance(address, 0.01, 'SOL');
  else await sim.accounts.set([{ pubkey: address, account: null }]);
  expect(sim.reviews.loan(application.id).status).toBe('active');
});

it('no withdrawal is reserved after a default that is not carried out yet', async () => {
  const { sim, agent } = await timedWorld(
    500,
    { limits: { setOffShare: 1, tokenSeconds: 31_536_000 } },
    0.05,
  );
  const start = await sim.snapshot();
  for (let beforeMs = 1_000; beforeMs <= 60_000; beforeMs += 1_000) {
    await sim.revert(start);
    const { application } = await agent.applyForLoan({ amount: 100, purpose: 'task', duration: 1 });
    await sim.reviews.approve(application.id);
    await sim.advance(31 * DAY_MS - beforeMs);
    sim.setTime('60000x');
    await agent.withdraw({ amount: 550, token: 'USDC' }).catch(() => undefined);
    sim.setTime('frozen');
    await agent.account();
    const [reservedMs = 0, defaultedMs = Infinity] = ['outflow.pending', 'loan.defaulted'].map((kind) =>
      instantOf(sim, kind),
    );
    expect(reservedMs).toBeLessThan(defaultedMs);
  }
});

it.each(['60x', '60000x'])('an advance by blocks lets a blockhash expire at %s', async (speed) => {
  const { sim } = await timedWorld(0, { time: speed }, 0.05);
  const { blockhash } = sim.chain.latestBlockhash();
  await sim.advance({ blocks: 151 });
  expect(sim.chain.isRecent(blockhash)).toBe(false);
});

it('a low limit of events for advances does not let calls go before what is due', async () => {
  const { sim, wall, agent } = await timedWorld(500, {
    limits: { jumpEvents: 100, tokenSeconds: 31_536_000 },
    oracle: { solUsd: { walk: { start: 100, every: '1h', step: 1, min: 50, max: 150 } } },
  });
  const { application } = await agent.applyForLoan({ amount: 100, purpose: 'task', duration: 50 });
  await sim.reviews.approve(application.id);
  sim.setTime('real');
  wall.ms += 60 * DAY_MS;
  expect((await agent.loan(application.id)).loan.status).toBe('overdue');
  sim.setTime('frozen');
  sim.faults.add({ endpoint: 'account', effect: 'delay', delay: '10d' });
  const begun = sim.now().getTime();
  await agent.account();
  expect(sim.now().getTime() - begun).toBe(10 * DAY_MS);
});

it('a delay passes when time is moved', async () => {
  const sim = await world({ time: 'real', limits: { tokenSeconds: 31_536_000 } });
  const agent = sim.agent(0);
  await agent.signIn();
  sim.faults.add({ endpoint: 'account', effect: 'delay', delay: '1h' });
  for (const move of [() => sim.advance('1h'), async () => sim.setTime('1000000000x')]) {
    const call = agent.account();
    await setImmediate();
    await move();
    await call;
  }
});
