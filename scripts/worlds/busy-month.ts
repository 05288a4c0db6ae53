import type { AgentClient } from '../../src/sdk/client/client.js';
import { BankError } from '../../src/sdk/client/client.js';
import { Dice } from '../../src/testing/fuzz-library.js';
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

type Habit = (me: AgentClient, world: { dice: Dice; others: readonly Person[] }) => Promise<unknown>;

const HABITS: readonly { readonly weight: number; readonly does: Habit }[] = [
  {
    weight: 5,
    does: (me, { dice }) => me.depositSavings({ amount: dice.pick([5, 20, 100, 250]), token: 'USDC' }),
  },
  {
    weight: 3,
    does: (me, { dice }) => me.withdrawSavings({ amount: dice.pick([5, 20, 50]), token: 'USDC' }),
  },
  { weight: 3, does: (me, { dice }) => me.borrow({ amount: dice.pick([10, 50, 200]) }) },
  { weight: 2, does: (me, { dice }) => me.repay({ amount: dice.pick([10, 50, 500]) }) },
  { weight: 2, does: (me, { dice }) => me.withdraw({ amount: dice.pick([1, 10, 40]), token: 'USDC' }) },
  {
    weight: 6,
    does: async (me, { dice, others }) => {
      const to = dice.pick(others);
      const amount = dice.pick([0.05, 0.5, 2, 15]);
      const { tx_signature } = await me.pay({ recipient: to.address, amount, token: 'USDC' });
      if (dice.chance(80)) await to.client.receive({ tx_signature });
    },
  },
  {
    weight: 1,
    does: (me, { dice }) =>
      me.applyForLoan({
        amount: dice.pick([100, 500, 2_000]),
        purpose: 'task',
        duration: dice.pick([7, 30, 90]),
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
  const dice = new Dice(2026);
  const people: Person[] = [];
  for (let count = 0; count < PEOPLE; count += 1) {
    const person = await newcomer(sim, dice.pick(PURSES));
    if (dice.chance(40)) sim.linkIdentity(person.address, { x: true, github: dice.chance(50) });
    people.push(person);
  }
  for (let day = 0; day < DAYS; day += 1) {
    for (let call = 0; call < CALLS_A_DAY; call += 1) {
      const { client } = dice.pick(people);
      const { does } = dice.weighed(HABITS);
      await does(client, { dice, others: people }).catch((error: unknown) => {
        if (!(error instanceof BankError)) throw error;
      });
    }
    for (const { loanId } of sim.reviews.list())
      if (dice.chance(70)) sim.reviews.approve(loanId);
      else sim.reviews.deny(loanId, 'too early');
    await sim.advance('1d');
  }
}
