import { MINTED, type ModelToken, type SeenTransaction, type ModelConfig, type Transfer } from './types.js';
import { USDC_MINTS, WRAPPED_SOL } from './token-accounts.js';

export interface BankTransfer {
  readonly customer: string;
  readonly to: string;
  readonly token: ModelToken;
  readonly amountBase: bigint;
}

export type KnownTransaction =
  | { readonly kind: 'outside'; readonly seen: SeenTransaction }
  | { readonly kind: 'bank'; readonly transfer: BankTransfer };

/** A wallet's net outflow of a token in the whole transaction, without the network fee. */
export function paidBase(seen: SeenTransaction, wallet: string, token: Transfer['token']): bigint {
  let sum = 0n;
  for (const transfer of seen.transfers) {
    if (transfer.token !== token) continue;
    if (transfer.from === wallet) sum += transfer.amountBase;
    if (transfer.to === wallet) sum -= transfer.amountBase;
  }
  return sum;
}

/** The amount delivered to an address. Wrapped SOL and other mints do not count. Source: docs/reference/fidelity.md, Deposits. */
export function broughtBase(known: KnownTransaction, address: string, token: ModelToken): bigint {
  if (known.kind === 'bank') {
    const { transfer } = known;
    return transfer.to === address && transfer.token === token ? transfer.amountBase : 0n;
  }
  if (known.seen.hasFailed) return 0n;
  const base = -paidBase(known.seen, address, token);
  return base > 0n ? base : 0n;
}

/** The tokens that a transaction delivered to an address, USDC first. */
export function tokensBrought(known: KnownTransaction, address: string): readonly ModelToken[] {
  const tokens: ModelToken[] = [];
  if (broughtBase(known, address, 'USDC') > 0n) tokens.push('USDC');
  if (broughtBase(known, address, 'SOL') > 0n) tokens.push('SOL');
  return tokens;
}

/** Other mints that a transaction delivered to an address, sorted. Source: docs/reference/fidelity.md, Errors. */
export function otherMintsBrought(
  known: KnownTransaction,
  address: string,
  { usdcMint }: ModelConfig,
): readonly string[] {
  if (known.kind === 'bank' || known.seen.hasFailed) return [];
  const { seen } = known;
  const mints = [
    ...(paidBase(seen, address, 'other') < 0n ? USDC_MINTS.filter((mint) => mint !== usdcMint) : []),
    ...(paidBase(seen, address, 'wrapped') < 0n ? [WRAPPED_SOL] : []),
  ];
  return mints.toSorted();
}

/**
 * The payer: the customer of a bank transfer, or else the wallet with the largest outflow of the token, network fee included. The first
 * named wins a tie. The fee payer counts when no wallet has an outflow.
 */
export function senderOf(known: KnownTransaction, token: ModelToken): string {
  if (known.kind === 'bank') return known.transfer.customer;
  const { seen } = known;
  let sender = seen.feePayer;
  let most = 0n;
  for (const wallet of new Set(seen.transfers.map(({ from }) => from))) {
    if (wallet === MINTED) continue;
    const fee = token === 'SOL' && wallet === seen.feePayer ? seen.feeLamports : 0n;
    const lost = paidBase(seen, wallet, token) + fee;
    if (lost <= most) continue;
    most = lost;
    sender = wallet;
  }
  return sender;
}
