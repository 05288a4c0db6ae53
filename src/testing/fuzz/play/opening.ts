import type { Step } from '../step.js';

/** What an agent begins with, in token units. */
interface Beginning {
  readonly usdc: number;
  readonly sol: number;
  readonly savings: number;
}

/** Rich, moderate, and new; agents beyond the third begin as these three. */
const BEGINNINGS: readonly Beginning[] = [
  { usdc: 5_000, sol: 30, savings: 2_000 },
  { usdc: 1_500, sol: 0, savings: 500 },
  { usdc: 0, sol: 0, savings: 0 },
];

/** The steps by which agents sign in and bring their first money, so that sequences begin where something can happen. */
export function opening(names: readonly string[]): readonly Step[] {
  const steps: Step[] = [];
  const add = (by: string, name: string, args: Step['with']) => {
    steps.push({ id: steps.length + 1, do: name, by, with: args });
    return steps.length;
  };
  for (const [at, by] of names.entries()) {
    const { usdc, sol, savings } = BEGINNINGS[at % BEGINNINGS.length] as Beginning;
    add(by, 'signIn', {});
    for (const [token, amount] of [
      ['USDC', usdc],
      ['SOL', sol],
    ] as const) {
      if (amount === 0) continue;
      const sent = add(by, 'send', { transfers: [{ to: '${treasury}', token, amount }] });
      add(by, 'deposit', { body: { amount, token, tx_signature: `\${s${sent}.signature}` } });
    }
    // Who has linked nothing is denied every loan.
    if (usdc > 0) add(by, 'link', { x: true, github: at === 0 });
    if (savings > 0) add(by, 'savingsDeposit', { body: { amount: savings, token: 'USDC' } });
  }
  return steps;
}
