import type { StudyAgentView, StudyInstant, StudyPersona } from '../src/testing/study/module.js';

/** The day on which the runners begin to withdraw. */
const FIRST_DAY = 30;
/** Less than this is left alone. */
const DUST = 0.01;
/** What a runner asks for when it does not ask for all, since it does not know its cap. */
const SMALLER = [1_000, 10_000];

/** Puts all it has into savings, and from the first day of the run on gets as much back to its wallet as it can. */
export const personas: Readonly<Record<string, StudyPersona>> = {
  runner: {
    summary: 'saves, and withdraws everything when the run begins',
    begins: { wallet: { usdc: 0, sol: 2 }, savings: { usdc: 200_000 } },
    act: (agent: StudyAgentView, { tick, random }: StudyInstant) => {
      if (tick < FIRST_DAY) return null;
      const [saved, ready] = [agent.savings('USDC'), agent.checking('USDC')];
      if (saved > DUST) return { do: 'savings.withdraw', amount: saved, token: 'USDC' };
      if (ready <= DUST) return null;
      const most = SMALLER[Math.floor(random() * 3)] ?? ready;
      return { do: 'withdraw', amount: Math.min(ready, most), token: 'USDC' };
    },
  },
};
