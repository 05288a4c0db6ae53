import { ACCOUNTS } from '../../core/domain/entry.js';

const SIDES: Readonly<Record<string, { readonly side: string }>> = ACCOUNTS;

/**
 * A posting's effect, for display: `+` when the account grew, so `+` on an agent's account, which is a liability of the
 * bank, is the agent's gain. `amount` is the unsigned amount as text.
 */
export function changeText(posting: { account: string; isCredit: boolean; amount: string }): string {
  const isDebitAccount = SIDES[posting.account]?.side === 'debit';
  return `${isDebitAccount === posting.isCredit ? '−' : '+'}${posting.amount}`;
}
