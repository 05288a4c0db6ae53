import type { Simulator } from '../../src/simulator/simulator.js';
import { agentWith } from './world.js';

/** Fills the books with at least so many entries of all kinds of money: both tokens, savings, loans, yields, transfers that failed. */
export async function fillBooks(sim: Simulator, entries: number): Promise<void> {
  const alice = await agentWith(sim, 0, { usdc: 1_000.000001, sol: 1.123456789 });
  const bob = await agentWith(sim, 1, { usdc: 50 });
  await alice.depositSavings({ amount: 500, token: 'USDC' });
  await alice.borrow({ amount: 33.333333 });
  await sim.advance('45d');
  await alice.repay({ amount: 20 });
  await alice.pay({ recipient: bob.wallet.address, amount: 1.000001, token: 'USDC' });
  await alice.withdraw({ amount: 0.000000001, token: 'SOL' });
  sim.faults.add({
    endpoint: 'withdraw',
    effect: 'chain-unavailable',
    phase: 'chain-submit',
    when: { times: 1 },
  });
  await alice.withdraw({ amount: 3, token: 'USDC' }).catch(() => undefined);
  while (sim.books.entries() < entries) {
    await alice.depositSavings({ amount: 0.000001, token: 'USDC' });
    await alice.withdrawSavings({ amount: 0.000001, token: 'USDC' });
  }
}
