import { type KeyPair, KeyRing } from '../world/keys.js';

export interface DevWallet {
  readonly address: string;
  /** base58 of 64 bytes, the format that Solana wallets import. */
  readonly secretKey: string;
}

/** The number of funded wallets in a world with its own chain. */
const DEV_WALLETS = 10;

export function devWallets(keys: KeyRing): DevWallet[] {
  return Array.from({ length: DEV_WALLETS }, (_, at) => {
    const { address, secretKey } = keys.derive(`wallet/${at}`);
    return { address, secretKey };
  });
}

/** The key of the first, second, … wallet that a world with this seed creates for users. */
export function madeKey(seed: string, number: number): KeyPair {
  return new KeyRing(seed).derive(`wallet/made/${number}`);
}

/** The wallet of `madeKey`. */
export function madeWallet(seed: string, number: number): DevWallet {
  const { address, secretKey } = madeKey(seed, number);
  return { address, secretKey };
}

/** The first `count` wallets that a world with this seed creates. */
export function madeWallets(seed: string, count: number): DevWallet[] {
  return Array.from({ length: count }, (_, at) => madeWallet(seed, at + 1));
}

/** One of the funded wallets by its number. Throws RangeError. */
export function devWallet(wallets: readonly DevWallet[], at: number): DevWallet {
  const wallet = wallets[at];
  if (wallet !== undefined) return wallet;
  throw new RangeError(
    wallets.length === 0
      ? 'a cluster has no dev wallets; pass an AgentWallet'
      : `there are ${DEV_WALLETS} dev wallets, 0 to ${DEV_WALLETS - 1}`,
  );
}
