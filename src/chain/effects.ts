import type { PerToken } from '../core/domain/money.js';
import { NATIVE_MINT } from './solana/addresses.js';
import type { TouchedAccount, TransactionRecord } from './history.js';
import { associatedTokenAddress, tokenAmount, tokenHolding } from './solana/token-accounts.js';

/** A transaction's changes at a wallet: its lamports, and the tokens in its associated account of `mint`. */
export function changeAt(record: TransactionRecord, wallet: string, mint: string): PerToken<bigint> {
  const ata = associatedTokenAddress(wallet, mint);
  let usdc = 0n;
  let sol = 0n;
  for (const { address, pre, post } of record.touched) {
    if (address === wallet) sol += (post?.lamports ?? 0n) - (pre?.lamports ?? 0n);
    else if (address === ata) usdc += tokenAmount(post) - tokenAmount(pre);
  }
  return { USDC: usdc, SOL: sol };
}

/** The mints other than `mint` whose balance in a wallet's token accounts a transaction increased, sorted. */
export function otherMintsAt(record: TransactionRecord, wallet: string, mint: string): string[] {
  const changes = new Map<string, bigint>();
  for (const { pre, post } of record.touched) {
    for (const [holding, sign] of [
      [tokenHolding(pre), -1n],
      [tokenHolding(post), 1n],
    ] as const) {
      if (holding === null || holding.owner !== wallet || holding.mint === mint) continue;
      changes.set(holding.mint, (changes.get(holding.mint) ?? 0n) + sign * holding.amountBase);
    }
  }
  return [...changes].flatMap(([other, change]) => (change > 0n ? [other] : [])).toSorted();
}

/**
 * What a wallet paid as a signer: lamports minus the network fee, and tokens of `mint` from all its token accounts.
 * Zero for a wallet that did not sign.
 */
export function paidBy(record: TransactionRecord, wallet: string, mint: string): PerToken<bigint> {
  const at = record.accountKeys.indexOf(wallet);
  if (at < 0 || at >= record.requiredSignatures) return { USDC: 0n, SOL: 0n };
  let usdc = 0n;
  let sol = at === 0 ? -record.feeLamports : 0n;
  for (const touched of record.touched) {
    const { address, pre, post } = touched;
    if (holderOf(touched) === wallet) sol += (pre?.lamports ?? 0n) - (post?.lamports ?? 0n);
    if (address === wallet) continue;
    const before = tokenHolding(pre);
    if (before?.mint === mint && before.owner === wallet) usdc += before.amountBase;
    const after = tokenHolding(post);
    if (after?.mint === mint && after.owner === wallet) usdc -= after.amountBase;
  }
  return { USDC: usdc, SOL: sol };
}

/** The wallet whose lamports leave an account: the owner of a closed wrapped-SOL account. */
function holderOf({ address, pre, post }: TouchedAccount): string {
  const closed = post === null ? tokenHolding(pre) : null;
  return closed?.mint === NATIVE_MINT ? closed.owner : address;
}

/** The wallet that lost most of a token in a transaction; the fee payer when no wallet lost any. A null `mint` is SOL. */
export function sourceOf(record: TransactionRecord, mint: string | null): string {
  const lost = new Map<string, bigint>();
  const add = (owner: string, amountBase: bigint) => lost.set(owner, (lost.get(owner) ?? 0n) + amountBase);
  for (const touched of record.touched) {
    const { pre, post } = touched;
    if (mint === null) {
      add(holderOf(touched), (pre?.lamports ?? 0n) - (post?.lamports ?? 0n));
      continue;
    }
    const [before, after] = [tokenHolding(pre), tokenHolding(post)];
    if (before?.mint === mint) add(before.owner, before.amountBase);
    if (after?.mint === mint) add(after.owner, -after.amountBase);
  }
  let source = record.accountKeys[0] as string;
  let most = 0n;
  for (const [owner, amountBase] of lost) {
    if (amountBase <= most) continue;
    most = amountBase;
    source = owner;
  }
  return source;
}
