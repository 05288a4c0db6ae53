import type { Books } from './books.js';

/** Both networks' mints of USDC exist on the chain. Source: docs/fidelity.md, Variants of the description. */
const USDC_MINTS: readonly string[] = [
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
];

/** Whether an address is a mint that the model knows of. Token accounts are not known to it by address. */
export function isTokenAccount({ setting }: Books, address: string): boolean {
  return address === setting.usdcMint || USDC_MINTS.includes(address);
}
