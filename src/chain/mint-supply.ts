import type { Account } from './engine.js';
import { USDC_MINTS } from './genesis.js';
import { tokenHolding, withSupply } from './solana/token-accounts.js';

const MINTS = new Set<string>(Object.values(USDC_MINTS));

/** The USDC mints of directly written token accounts with their new supply. Throws RangeError for an impossible supply. */
export function mintsAfter(
  changes: Iterable<{ readonly pre: Account | null; readonly post: Account | null }>,
  mintAt: (address: string) => Account | null,
): Map<string, Account> {
  const minted = new Map<string, bigint>();
  const add = (account: Account | null, sign: bigint) => {
    const holding = tokenHolding(account);
    if (holding === null || !MINTS.has(holding.mint)) return;
    minted.set(holding.mint, (minted.get(holding.mint) ?? 0n) + sign * holding.amountBase);
  };
  for (const { pre, post } of changes) {
    add(pre, -1n);
    add(post, 1n);
  }
  const mints = new Map<string, Account>();
  for (const [address, change] of minted) {
    const mint = mintAt(address);
    if (mint !== null) mints.set(address, withSupply(mint, change));
  }
  return mints;
}
