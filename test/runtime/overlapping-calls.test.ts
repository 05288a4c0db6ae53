// @module-tag slow
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ControlError } from '../../src/api/control/client.js';
import { ChainRefusal } from '../../src/chain/submission.js';
import { readRecording } from '../../src/recording/replay/read-recording.js';
import { replayRecording } from '../../src/recording/replay/replay.js';
import { type AgentClient, BankError } from '../../src/sdk/client/client.js';
import { type Simulator, createSimulator } from '../../src/simulator/simulator.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { ENGINES, controlOf } from '../support/world.js';

const SPEEDS = { real: 1, '60x': 60, '60000x': 60_000 } as const;
const SPANS = [0, 1, 400, 1_000, 20_000, 60_000, 3_600_000, 86_400_000];
/** Whether a call was refused, or a fault has lost its response. */
const isRefusal = (error: unknown): boolean =>
  [BankError, ControlError, ChainRefusal].some((kind) => error instanceof kind) ||
  (error instanceof TypeError && error.message === 'fetch failed');

/** Who acts, in which world; `key` is an Idempotency-Key or none. */
interface Scene {
  readonly sim: Simulator;
  readonly agent: AgentClient;
  readonly control: ReturnType<typeof controlOf>;
  readonly key: { readonly idempotencyKey?: string };
  readonly loans: string[];
  readonly snapshots: string[];
}
type Act = (scene: Scene) => Promise<unknown>;

/** Acts by drawn arguments, which a counterexample shows. */
function act<T>(name: string, drawn: fc.Arbitrary<T>, perform: (given: T, scene: Scene) => Promise<unknown>) {
  return drawn.map((given): Act => {
    const shown = { [fc.toStringMethod]: () => `${name} ${JSON.stringify(given)}` };
    return Object.assign((scene: Scene) => perform(given, scene), shown);
  });
}

const amount = fc.constantFrom(0.000001, 0.5, 3, 20, 75.5, 250);
const money = fc.record({ amount, token: fc.constantFrom('USDC' as const, 'SOL' as const) });
const nothing = fc.constant(null);
const EFFECTS = [
  ...(['drop-transaction', 'expire-blockhash', 'chain-unavailable', 'lose-response'] as const).map(
    (effect) => ({ effect }),
  ),
  ...(['delay-transaction', 'delay'] as const).map((effect) => ({ effect, delay: '2s' })),
];
/** What may overlap. A replay cannot say which of two calls that arrive together a fault rule was there for, or a revert. */
const call = fc.oneof(
  act('account', nothing, (_, { agent }) => agent.account()),
  act('transactions', nothing, (_, { agent }) => agent.transactions({ limit: 5 })),
  act('fund', money, (given, { agent }) => agent.fund(given.amount, given.token)),
  { weight: 3, arbitrary: act('withdraw', money, (given, { agent, key }) => agent.withdraw(given, key)) },
  { weight: 2, arbitrary: act('save', money, (given, { agent }) => agent.depositSavings(given)) },
  { weight: 2, arbitrary: act('unsave', money, (given, { agent }) => agent.withdrawSavings(given)) },
  act('borrow', amount, (given, { agent }) => agent.borrow({ amount: given })),
  act('repay', amount, (given, { agent }) => agent.repay({ amount: given })),
  {
    weight: 2,
    arbitrary: act('pay', fc.record({ amount, to: fc.nat(2) }), ({ to, ...given }, { sim, agent, key }) =>
      agent.pay({ ...given, token: 'USDC', recipient: sim.wallets[to]?.address ?? '' }, key),
    ),
  },
  act('apply', fc.constantFrom(100, 500), async (given, { agent, loans }) =>
    loans.push((await agent.applyForLoan({ amount: given, purpose: 'task', duration: 1 })).application.id),
  ),
  act('repayLoan', amount, (given, { agent, loans }) =>
    agent.repayLoan(loans.at(-1) ?? 'loan_none', { amount: given }),
  ),
  act('review', fc.constantFrom('approve', 'deny'), (verdict, { control, loans }) =>
    control.do(verdict, { id: loans.at(-1) ?? 'loan_none', body: {} }),
  ),
  act('setPrice', fc.constantFrom(1, 20, 150), (source, { control }) =>
    control.do('setPrice', { body: { token: 'SOL', source } }),
  ),
  act('setApy', fc.constantFrom(0, 0.08, 0.5), (source, { control }) =>
    control.do('setApy', { body: { token: 'USDC', source } }),
  ),
  act('advance', fc.constantFrom('1s', '1h', '1d'), (by, { control }) =>
    control.do('advance', { body: { by } }),
  ),
);

/** What the operator does while no call is under way. */
const change = fc.oneof(
  act(
    'fault',
    fc.record({ endpoint: fc.constantFrom('withdraw', 'x402Pay'), effect: fc.constantFrom(...EFFECTS) }),
    ({ endpoint, effect }, { control }) => control.do('addFault', { body: { endpoint, ...effect } }),
  ),
  act('clearFaults', nothing, (_, { control }) => control.do('clearFaults')),
  act('mode', fc.constantFrom('freeze', 'run'), (command, { control }) => control.do(command)),
  act('snapshot', nothing, async (_, { control, snapshots }) =>
    snapshots.push((await control.do('snapshot')).id),
  ),
  act('revert', nothing, (_, { control, snapshots }) =>
    control.do('revert', { id: snapshots.at(-1) ?? 'snapshot-0' }),
  ),
);

/** By one of the agents, a few turns of the event loop after the others of its round. */
const byAnAgent = (run: fc.Arbitrary<Act>) => fc.record({ who: fc.nat(2), turns: fc.nat(3), run });

const session = fc.record({
  engine: fc.constantFrom(...ENGINES),
  speed: fc.constantFrom('real', '60x', '60000x'),
  /** Real milliseconds that pass at each look at the clock. */
  tickMs: fc.constantFrom(0, 0.01, 0.3, 5),
  withdrawals: fc.constantFrom('instant', 'queued'),
  rounds: fc.array(
    fc.record({
      passMs: fc.constantFrom(...SPANS),
      calls: fc.oneof(
        { weight: 3, arbitrary: fc.array(byAnAgent(call), { minLength: 1, maxLength: 5 }) },
        fc.tuple(byAnAgent(change)),
      ),
    }),
    { minLength: 1, maxLength: 10 },
  ),
});

/** What is booked three days later: the number of entries and the sum of postings, without what depends on the millisecond. */
async function bookedIn(sim: Simulator): Promise<Record<string, bigint>> {
  await sim.advance('3d');
  expect(await sim.invariants()).toEqual([]);
  const sums: Record<string, bigint> = {};
  const add = (name: string, by: bigint) => (sums[name] = (sums[name] ?? 0n) + by);
  const { books } = sim.bank;
  for (let seq = 1; seq <= books.state.seq; seq += 1) {
    const { facts, wallet, postings } = books.entryAt(seq);
    add(`${wallet} ${facts.kind}`, 1n);
    for (const { account, owner, token, amountBase } of postings)
      if (!/^(yield|protocol|interest)/.test(account)) add(`${owner} ${account} ${token}`, amountBase);
  }
  return sums;
}

it('calls that overlap on a running clock leave the books as the same calls do one after another, on both engines', async () => {
  const property = fc.asyncProperty(session, async ({ engine, speed, tickMs, withdrawals, rounds }) => {
    const wall = { ms: 0 };
    const sim = await createSimulator(
      {
        engine,
        time: 'frozen',
        startTime: '2026-01-01T22:00:00Z',
        variants: { withdrawals },
        withdrawalDelay: '1h',
      },
      { wall: () => (wall.ms += tickMs), wait: (ms) => ((wall.ms += ms), setImmediate()) },
    );
    try {
      const path = join(temporaryFolder(), 'session.ndjson');
      await sim.recording.start({ path, isNew: true });
      const [loans, snapshots, control]: [string[], string[], Scene['control']] = [[], [], controlOf(sim)];
      const agents = [0, 1, 2].map((at) => sim.agent(at));
      for (const agent of agents) {
        await agent.fund(400, 'USDC');
        await agent.fund(2, 'SOL');
      }
      sim.setTime(speed);
      for (const { passMs, calls } of rounds) {
        wall.ms += passMs / SPEEDS[speed];
        const one = async ({ who, turns, run }: (typeof calls)[number], at: number) => {
          for (let turn = 0; turn < turns; turn += 1) await setImmediate();
          const key = at % 2 === 0 ? { idempotencyKey: `${who} ${at}` } : {};
          await run({ sim, agent: agents[who] as AgentClient, control, key, loans, snapshots });
        };
        for (const outcome of await Promise.allSettled(calls.map(one)))
          if (outcome.status === 'rejected' && !isRefusal(outcome.reason)) throw outcome.reason;
        expect(await sim.invariants()).toEqual([]);
      }
      sim.setTime('frozen');
      await sim.recording.stop();
      const booked = await bookedIn(sim);
      const recording = readRecording(readFileSync(path, 'utf8'), path);
      for (const other of ENGINES)
        await replayRecording(recording, {
          engine: other,
          atEnd: async (again) => expect(await bookedIn(again), other).toEqual(booked),
        });
    } finally {
      await sim.close();
    }
  });
  await fc.assert(property, {
    numRuns: Number(process.env['RUNS'] ?? 60),
    seed: Number(process.env['SEED'] ?? 1),
    endOnFailure: true,
  });
}, 600_000);
