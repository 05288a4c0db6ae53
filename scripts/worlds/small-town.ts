import type { Simulator } from '../../src/simulator/simulator.js';
import { type Person, newcomer } from './people.js';

const DAY = '1d';

/** Applies for a credit line, which is approved. Gives its id. */
async function borrowed(
  sim: Simulator,
  { client, address }: Person,
  plan: { amount: number; duration: number },
) {
  await sim.linkIdentity(address, { x: true, github: true });
  const { application } = await client.applyForLoan({ ...plan, purpose: 'working_capital' });
  if (application.status !== 'pending_review') throw new Error(`the application is ${application.status}`);
  await sim.reviews.approve(application.id, 'known in town');
  return application.id;
}

/** Six who save: much and little, in either token, with a part taken out again. */
async function savers(sim: Simulator): Promise<void> {
  for (const [usdc, sol, saved] of [
    [5_000, 0, 5_000],
    [2_500, 10, 1_000],
    [800, 0, 799.999999],
    [120, 3, 20],
    [50, 1, 0.000001],
  ] as const) {
    const { client } = await newcomer(sim, { usdc, sol });
    await client.depositSavings({ amount: saved, token: 'USDC' });
    if (sol >= 3) await client.depositSavings({ amount: sol / 2, token: 'SOL' });
  }
  const { client } = await newcomer(sim, { usdc: 900, sol: 0 });
  await client.depositSavings({ amount: 900, token: 'USDC' });
  await sim.advance('10d');
  await client.withdrawSavings({ amount: 450, token: 'USDC' });
}

/** Four who borrow against their savings: a little, half, all that they may, and one who owes more than that by now. */
async function borrowersAgainstSavings(sim: Simulator): Promise<void> {
  for (const [saved, borrowedUsdc] of [
    [1_000, 10],
    [1_000, 350],
    [2_000, 1_400],
    [500, 350],
  ] as const) {
    const { client } = await newcomer(sim, { usdc: saved + 100, sol: 0 });
    await client.depositSavings({ amount: saved, token: 'USDC' });
    await client.borrow({ amount: borrowedUsdc });
  }
}

/** Six with credit lines, one in each state that a loan can have. */
async function creditLines(sim: Simulator): Promise<void> {
  const people: Person[] = [];
  for (let count = 0; count < 6; count += 1) people.push(await newcomer(sim, { usdc: 1_500, sol: 2 }));
  const [defaulter, late, onTime, running, waiting, denied] = people as [
    Person,
    Person,
    Person,
    Person,
    Person,
    Person,
  ];
  await borrowed(sim, defaulter, { amount: 400, duration: 5 });
  const lateLoan = await borrowed(sim, late, { amount: 300, duration: 20 });
  const paidLoan = await borrowed(sim, onTime, { amount: 500, duration: 60 });
  await sim.advance('30d');
  await onTime.client.repayLoan(paidLoan, { amount: 600 });
  await sim.advance('10d');
  await borrowed(sim, running, { amount: 1_000, duration: 90 });
  await sim.linkIdentity(waiting.address, { x: true, github: false });
  await waiting.client.applyForLoan({ amount: 250, purpose: 'task', duration: 14 });
  const much = await denied.client.applyForLoan({ amount: 10_000, purpose: 'speculative', duration: 90 });
  await sim.reviews.deny(much.application.id, 'too much');
  if ((await late.client.loan(lateLoan)).loan.status !== 'overdue') throw new Error('nobody is overdue');
}

/** Four who pay each other: received, not received yet, withdrawn, and one with nothing. */
async function payers(sim: Simulator): Promise<void> {
  const [buyer, shop, idle] = [
    await newcomer(sim, { usdc: 400, sol: 1 }),
    await newcomer(sim, { usdc: 0, sol: 0 }),
    await newcomer(sim, { usdc: 30, sol: 0 }),
  ];
  await newcomer(sim, { usdc: 0, sol: 0 });
  const paid = await buyer.client.pay({ recipient: shop.address, amount: 25, token: 'USDC', memo: 'bread' });
  await shop.client.receive({ tx_signature: paid.tx_signature });
  await buyer.client.pay({ recipient: shop.address, amount: 7.5, token: 'USDC', memo: 'milk' });
  await idle.client.withdraw({ amount: 30, token: 'USDC' });
}

/** Twenty agents: in every state of saving, borrowing and default. */
export async function smallTown(sim: Simulator): Promise<void> {
  await savers(sim);
  await borrowersAgainstSavings(sim);
  await creditLines(sim);
  await payers(sim);
  await sim.advance(DAY);
}
