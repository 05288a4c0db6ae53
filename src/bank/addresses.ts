import { SOL_ASSET, USDC_MINTS } from '../chain/genesis.js';
import type { Token } from '../core/domain/money.js';
import type { Variants } from '../core/domain/variants.js';
import type { KeyPair, KeyRing } from '../world/keys.js';

/** CAIP-2 names of the networks. Source: x402 v2, chain namespaces of Solana. */
const CAIP2 = {
  mainnet: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  devnet: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
} as const;

/** The keys and addresses of the bank, all derived from the seed except a configured treasury. */
export class BankAddresses {
  readonly treasury: KeyPair;
  /** The lending protocol that savings are placed with. */
  readonly protocol: KeyPair;
  /** Signs receipts. */
  readonly issuer: KeyPair;
  /** Pays fees for payers who use the standard x402 protocol. */
  readonly facilitator: KeyPair;
  readonly usdcMint: string;
  readonly caip2: string;
  readonly #keys: KeyRing;

  constructor(
    keys: KeyRing,
    options: {
      issuer: KeyPair;
      network: Variants['network'];
      treasury?: KeyPair | undefined;
      usdcMint?: string | undefined;
    },
  ) {
    this.#keys = keys;
    this.treasury = options.treasury ?? keys.derive('treasury');
    this.protocol = keys.derive('lending-protocol');
    this.facilitator = keys.derive('facilitator');
    this.issuer = options.issuer;
    this.usdcMint = options.usdcMint ?? USDC_MINTS[options.network];
    this.caip2 = CAIP2[options.network];
  }

  collection(wallet: string): KeyPair {
    return this.#keys.derive(`collection/${wallet}`);
  }

  /** The mint of a token; wrapped SOL for SOL. */
  assetOf(token: Token): string {
    return token === 'USDC' ? this.usdcMint : SOL_ASSET;
  }
}
