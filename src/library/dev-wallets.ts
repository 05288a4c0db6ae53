import type { KeyRing } from '../world/keys.js';

/** A wallet that is funded when the world begins. */
export interface DevWallet {
  readonly address: string;
  /** base58 of 64 bytes, as Solana wallets import it. */
  readonly secretKey: string;
}

/** How many funded wallets a world with a chain of its own has. */
const DEV_WALLETS = 10;

/** The funded wallets of a world. */
export function devWallets(keys: KeyRing): DevWallet[] {
  return Array.from({ length: DEV_WALLETS }, (_, at) => {
    const { address, secretKey } = keys.derive(`wallet/${at}`);
    return { address, secretKey };
  });
}

/** One of them by its number. Throws RangeError. */
export function devWallet(wallets: readonly DevWallet[], at: number): DevWallet {
  const wallet = wallets[at];
  if (wallet !== undefined) return wallet;
  throw new RangeError(
    wallets.length === 0
      ? 'there are no dev wallets on a cluster; give an AgentWallet'
      : `there are ${DEV_WALLETS} dev wallets, 0 to ${DEV_WALLETS - 1}`,
  );
}
