import type { Account } from './engine.js';
import { SYSTEM_PROGRAM } from './solana/addresses.js';
import { USDC_MINTS, walletAccount } from './genesis.js';
import { u64Amount } from './solana/layout.js';
import { associatedTokenAddress, tokenAccount, tokenHolding, withSupply } from './solana/token-accounts.js';

// Native programs, sysvars and loaders: no private key exists for an address that ends like this.
const NATIVE = /1{8}$/;

/**
 * Why the balance of an address cannot be set, as the rest of a sentence; null when it can. Overwriting an account that
 * an engine depends on makes it abort or stop processing transactions. A token account or a mint is not a wallet; it
 * holds the property of others.
 */
export function notAWallet(address: string, account: Account | null): string | null {
  if (NATIVE.test(address)) return 'is an address of Solana itself';
  if (account === null) return null;
  if (account.executable) return 'is a program';
  if (account.owner !== SYSTEM_PROGRAM) return `is an account of the program ${account.owner}, not a wallet`;
  return account.data.length === 0 ? null : 'is an account with data, not a wallet';
}

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

/** The account writes that set a wallet's lamports, or its tokens together with the supply of the mint. Throws RangeError. */
export async function setBalance(
  read: (address: string) => Promise<Account | null>,
  wanted: { address: string; token: 'USDC' | 'SOL'; amountBase: bigint; mint: string },
): Promise<Map<string, Account | null>> {
  const { address, token, amountBase, mint } = wanted;
  if (token === 'SOL') {
    const held = await read(address);
    const lamports = u64Amount(amountBase);
    const account = held === null ? walletAccount(lamports) : { ...held, lamports };
    return new Map([[address, amountBase === 0n ? null : account]]);
  }
  const place = associatedTokenAddress(address, mint);
  const post = tokenAccount(mint, address, amountBase);
  const minted = await read(mint);
  return new Map([[place, post], ...mintsAfter([{ pre: await read(place), post }], () => minted)]);
}
