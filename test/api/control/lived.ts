import { agentWith, type world, worldWithAgent } from '../../support/world.js';

/** A world with two agents: deposits, savings, a withdrawal, a payment, an approved loan. */
export async function lived(options: Parameters<typeof world>[0] = {}) {
  const { sim, control, agent: ada } = await worldWithAgent({ usdc: 2_000, sol: 1, ...options });
  const bob = await agentWith(sim, 1, { usdc: 100 });
  await ada.depositSavings({ amount: 500, token: 'USDC' });
  await ada.withdraw({ amount: 100, token: 'USDC' });
  await sim.advance('1h');
  await ada.pay({ recipient: bob.wallet.address, amount: 30, token: 'USDC' });
  await ada.borrow({ amount: 50 });
  const { id } = (await ada.applyForLoan({ amount: 200, purpose: 'task', duration: 30 })).application;
  await sim.reviews.approve(id);
  return { sim, control, ada, bob, adaWallet: ada.wallet.address, loan: id };
}
