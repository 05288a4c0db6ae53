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
 * What a posting changed, for readers: `+` when the account grew, so `+` on an agent's account is what the agent gained. `amount` is
 * the size of the posting as text, without a sign.
 */
export function changeText(posting: { account: string; isCredit: boolean; amount: string }): string {
  const hasGrown = GROWS_BY_CREDIT.has(posting.account) === posting.isCredit;
  return `${hasGrown ? '+' : '−'}${posting.amount}`;
}
