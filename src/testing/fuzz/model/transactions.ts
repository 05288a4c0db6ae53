import type { KnownTransaction, Books } from './books.js';
import { MINTED, type ModelToken, type ModelConfig, type Transfer } from './types.js';
import { TOKENS } from './amounts.js';

/** A wallet's net outflow of a token in the whole transaction, without the network fee. */
export function paidBase({ transfers }: KnownTransaction, wallet: string, token: Transfer['token']): bigint {
  let sum = 0n;
  for (const transfer of transfers) {
    if (transfer.token !== token) continue;
    if (transfer.from === wallet) sum += transfer.amountBase;
    if (transfer.to === wallet) sum -= transfer.amountBase;
  }
  return sum;
}

/** The amount delivered to an address. Wrapped SOL and other mints do not count. Source: docs/reference/fidelity.md, Deposits. */
export function broughtBase(known: KnownTransaction, address: string, token: ModelToken): bigint {
  const base = known.hasFailed ? 0n : -paidBase(known, address, token);
  return base > 0n ? base : 0n;
}

/** The tokens that a transaction delivered to an address, USDC first. */
export function tokensBrought(known: KnownTransaction, address: string): readonly ModelToken[] {
  return TOKENS.filter((token) => broughtBase(known, address, token) > 0n);
}

/** Other mints that a successful transaction delivered to an address, sorted. Source: docs/reference/fidelity.md, Errors. */
export function otherMintsBrought(
  known: KnownTransaction,
  address: string,
  { usdcMint }: ModelConfig,
): readonly string[] {
  const others = USDC_MINTS.filter((mint) => mint !== usdcMint);
  const mints = [
    ...(paidBase(known, address, 'other') < 0n ? others : []),
    ...(paidBase(known, address, 'wrapped') < 0n ? [WRAPPED_SOL] : []),
  ];
  return mints.toSorted();
}

/**
 * The payer: the customer of a bank transfer, or else the wallet with the largest outflow of the token, network fee included. The first
 * named wins a tie. The fee payer counts when no wallet has an outflow.
 */
export function senderOf(known: KnownTransaction, token: ModelToken): string {
  if ('customer' in known) return known.customer;
  let sender = known.feePayer;
  let most = 0n;
  for (const wallet of new Set(known.transfers.map(({ from }) => from))) {
    if (wallet === MINTED) continue;
    const fee = token === 'SOL' && wallet === known.feePayer ? known.feeLamports : 0n;
    const lost = paidBase(known, wallet, token) + fee;
    if (lost <= most) continue;
    most = lost;
    sender = wallet;
  }
  return sender;
}

/** The USDC mints of both networks; both exist on the chain. Source: docs/reference/fidelity.md, Variants of the description. */
export const USDC_MINTS: readonly string[] = [
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
];
export const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';

/** Whether an address is a mint, or an existing USDC account of a wallet of the world, the treasury, a customer or its collection address. */
export function holdsTokens({ modelConfig, agents, chain }: Books, address: string): boolean {
  const { usdcMint, treasury, tokenHolders, collectionOf, tokenAccountOf } = modelConfig;
  if ([usdcMint, WRAPPED_SOL, ...USDC_MINTS].includes(address)) return true;
  if (agents.has(address) || address === treasury) return false;
  const customers = [...agents.keys()];
  const owners = [treasury, ...tokenHolders, ...customers, ...customers.map(collectionOf)];
  return owners.some((owner) => tokenAccountOf(owner) === address && chain.hasTokenAccount(owner));
}
