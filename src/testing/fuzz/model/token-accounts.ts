import type { Books } from './books.js';

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
