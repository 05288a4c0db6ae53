import type { StudyAction, StudyAgentView, StudyInstant, StudyPersona } from '../src/testing/study/module.js';

/** The day on which the runners begin to withdraw. */
const FIRST_DAY = 30;
/** A runner ignores balances up to this amount. */
const DUST = 0.01;
/** Smaller withdrawals that an agent tries, since it does not know its cap. */
const SMALLER = [1_000, 10_000];

/** Withdraws all of checking or a smaller amount, chosen at random, since the agent does not know its cap. */
function withdrawal(agent: StudyAgentView, world: StudyInstant): StudyAction | null {
  const ready = agent.checking('USDC');
  if (ready <= DUST) return null;
  const most = SMALLER[Math.floor(world.random() * 3)] ?? ready;
  return { do: 'withdraw', amount: Math.min(ready, most), token: 'USDC' };
}

const begins = { wallet: { usdc: 0, sol: 2 }, savings: { usdc: 200_000 } };

export const personas: Readonly<Record<string, StudyPersona>> = {
  runner: {
    summary: 'saves, and withdraws everything from the 30th day on',
    begins,
    act: (agent, world) => {
      if (world.tick < FIRST_DAY) return null;
      const saved = agent.savings('USDC');
      if (saved > DUST) return { do: 'savings.withdraw', amount: saved, token: 'USDC' };
      return withdrawal(agent, world);
    },
  },
  levered: {
    summary: 'borrows the maximum against its savings, and withdraws the loan',
    begins,
    act: (agent, world) =>
      world.tick === 1
        ? { do: 'collateral.borrow', amount: Math.floor(agent.borrowable()) }
        : withdrawal(agent, world),
  },
};
