import type { Posting } from '../../core/domain/entry.js';

// An agent's own accounts are liabilities of the bank: a credit makes them grow.
const GROWS_BY_CREDIT: ReadonlySet<string> = new Set<Posting['account']>([
  'checking',
  'savings',
  'yield',
  'pending',
  'uncollected',
  'unclaimed',
  'interest_income',
  'capital',
]);

/**
 * A posting's effect, for display: `+` when the account grew, so `+` on an agent's account is the agent's
 * gain. `amount` is the unsigned amount as text.
 */
export function changeText(posting: { account: string; isCredit: boolean; amount: string }): string {
  const hasGrown = GROWS_BY_CREDIT.has(posting.account) === posting.isCredit;
  return `${hasGrown ? '+' : '−'}${posting.amount}`;
}
