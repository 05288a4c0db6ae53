import type { Account } from '../../../chain/engine.js';
import { tokenBalance } from '../../../chain/solana/token-accounts.js';
import { uiTokenAmount } from '../parsed/amounts.js';
import type { Decimals } from './account.js';

/** For a transaction that did not run. */
export const NO_BALANCES = {
  preBalances: null,
  postBalances: null,
  preTokenBalances: null,
  postTokenBalances: null,
};

function tokensOf(accounts: readonly (Account | null)[], decimalsOf: Decimals): object[] {
  return accounts.flatMap((account, accountIndex) => {
    const held = tokenBalance(account);
    if (held === null) return [];
    const decimals = decimalsOf(held.mint) ?? 0;
    const { mint, owner, programId } = held;
    return [
      { accountIndex, mint, owner, programId, uiTokenAmount: uiTokenAmount(held.amountBase, decimals) },
    ];
  });
}

/** Lamports and tokens of each account of a transaction, before and after it, in the order of its keys. */
export function balancesOf(
  pre: readonly (Account | null)[],
  post: readonly (Account | null)[],
  decimalsOf: Decimals,
) {
  return {
    preBalances: pre.map((account) => account?.lamports ?? 0n),
    postBalances: post.map((account) => account?.lamports ?? 0n),
    preTokenBalances: tokensOf(pre, decimalsOf),
    postTokenBalances: tokensOf(post, decimalsOf),
  };
}

export type Balances = ReturnType<typeof balancesOf>;
