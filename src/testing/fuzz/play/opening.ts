import type { Step } from '../step.js';

/** Initial funds in token units: rich, moderate, and new. Agents beyond the third repeat these; one without funds is not a customer yet. */
const BEGINNINGS = [
  { usdc: 5_000, sol: 30, savings: 2_000 },
  { usdc: 1_500, sol: 0, savings: 500 },
  { usdc: 0, sol: 0, savings: 0 },
];

/** Time before the first deposit: otherwise what begins with the world would hide errors in what begins later, such as a yield. */
const FIRST_DEPOSIT = '1h7s';

/** Steps that sign agents in and make their first deposits, so that sequences start in an interesting state. */
export function opening(names: readonly string[]): readonly Step[] {
  const steps: Step[] = [{ id: 1, do: 'time.advance', with: { by: FIRST_DEPOSIT } }];
  const add = (by: string, name: string, args: Step['with']) => {
    steps.push({ id: steps.length + 1, do: name, by, with: args });
    return steps.length;
  };
  for (const [at, by] of names.entries()) {
    const { usdc, sol, savings } = BEGINNINGS[at % BEGINNINGS.length] as (typeof BEGINNINGS)[number];
    if (usdc > 0) add(by, 'signIn', {});
    for (const [token, amount] of [
      ['USDC', usdc],
      ['SOL', sol],
    ] as const) {
      if (amount === 0) continue;
      const sent = add(by, 'send', { transfers: [{ to: '${treasury}', token, amount }] });
      add(by, 'deposit', { body: { amount, token, tx_signature: `\${s${sent}.signature}` } });
    }
    // Agents without linked accounts are denied every loan.
    if (usdc > 0) add(by, 'identity.link', { of: `\${${by}}`, x: true, github: at === 0 });
    if (savings > 0) add(by, 'savingsDeposit', { body: { amount: savings, token: 'USDC' } });
  }
  return steps;
}
