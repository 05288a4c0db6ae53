import type { AgentClient } from '../../src/sdk/client/client.js';
import { BankError } from '../../src/sdk/client/client.js';
import { Random } from '../../src/testing/study/random.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { type Person, newcomer } from './people.js';

const PEOPLE = 200;
const DAYS = 30;
/** Calls of all agents together on a day. */
const CALLS_A_DAY = 120;

const PURSES = [
  { usdc: 200, sol: 0 },
  { usdc: 800, sol: 2 },
  { usdc: 3_000, sol: 10 },
  { usdc: 12_000, sol: 0 },
] as const;

type Habit = (me: AgentClient, world: { random: Random; others: readonly Person[] }) => Promise<unknown>;

const HABITS: readonly { readonly weight: number; readonly does: Habit }[] = [
  {
    weight: 5,
    does: (me, { random }) => me.depositSavings({ amount: random.pick([5, 20, 100, 250]), token: 'USDC' }),
  },
  {
    weight: 3,
    does: (me, { random }) => me.withdrawSavings({ amount: random.pick([5, 20, 50]), token: 'USDC' }),
  },
  { weight: 3, does: (me, { random }) => me.borrow({ amount: random.pick([10, 50, 200]) }) },
  { weight: 2, does: (me, { random }) => me.repay({ amount: random.pick([10, 50, 500]) }) },
  { weight: 2, does: (me, { random }) => me.withdraw({ amount: random.pick([1, 10, 40]), token: 'USDC' }) },
  {
    weight: 6,
    does: async (me, { random, others }) => {
      const to = random.pick(others);
      const amount = random.pick([0.05, 0.5, 2, 15]);
      const { tx_signature } = await me.pay({ recipient: to.address, amount, token: 'USDC' });
      if (random.chance(80)) await to.client.receive({ tx_signature });
    },
  },
  {
    weight: 1,
    does: (me, { random }) =>
      me.applyForLoan({
        amount: random.pick([100, 500, 2_000]),
        purpose: 'task',
        duration: random.pick([7, 30, 90]),
      }),
  },
  {
    weight: 1,
    does: async (me) => {
      const { loans } = await me.loans();
      const open = loans.find(({ status }) => status === 'active' || status === 'overdue');
      if (open !== undefined) await me.repayLoan(open.id, { amount: open.outstanding });
    },
  },
];

/** Two hundred agents after a month of saving, borrowing, paying and withdrawing. What is refused is no matter: so it is with people. */
export async function busyMonth(sim: Simulator): Promise<void> {
  const random = new Random(2026);
  const people: Person[] = [];
  for (let count = 0; count < PEOPLE; count += 1) {
    const person = await newcomer(sim, random.pick(PURSES));
    if (random.chance(40)) await sim.linkIdentity(person.address, { x: true, github: random.chance(50) });
    people.push(person);
  }
  for (let day = 0; day < DAYS; day += 1) {
    for (let call = 0; call < CALLS_A_DAY; call += 1) {
      const { client } = random.pick(people);
      const { does } = random.weighed(HABITS);
      await does(client, { random, others: people }).catch((error: unknown) => {
        if (!(error instanceof BankError)) throw error;
      });
    }
    for (const { loanId } of sim.reviews.list())
      if (random.chance(70)) await sim.reviews.approve(loanId);
      else await sim.reviews.deny(loanId, 'too early');
    await sim.advance('1d');
  }
}
