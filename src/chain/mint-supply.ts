import type { Account } from './engine.js';
import { USDC_MINTS } from './genesis.js';
import { tokenHolding } from './solana/token-accounts.js';

const MINTS = new Set<string>(Object.values(USDC_MINTS));
const MAX_SUPPLY = 2n ** 64n - 1n;
/** The offset of a mint's supply. Source: the layout of the SPL token program. */
const SUPPLY_AT = 36;

/** Throws RangeError for a supply that a mint cannot have. */
function withSupply(mint: Account, change: bigint): Account {
  const data = Uint8Array.from(mint.data);
  const view = new DataView(data.buffer);
  const supply = view.getBigUint64(SUPPLY_AT, true) + change;
  if (supply < 0n || supply > MAX_SUPPLY)
    throw new RangeError(`the supply of the mint would be ${supply} base units, which no mint can have`);
  view.setBigUint64(SUPPLY_AT, supply, true);
  return { ...mint, data };
}

/**
 * The mints of USDC of directly written token accounts, with the supply that they then have: the sum of all holdings. Throws
 * RangeError for a supply that a mint cannot have.
 */
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
