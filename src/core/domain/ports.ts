import type { PerToken, Token } from './money.js';
import type { Variants } from './variants.js';

/** How a review policy decides an application: by a person, by the score at once or at an instant, or by a verdict at once. */
export type ReviewTiming =
  | { readonly kind: 'manual' }
  | { readonly kind: 'at-once' }
  | { readonly kind: 'at'; readonly atMs: number }
  | { readonly kind: 'verdict'; readonly approve: boolean; readonly reason: string | null };

/** All that a decision may look at besides the books: the world at one instant. */
export interface Env {
  readonly nowMs: number;
  /** Seeds ids; the same in all operations of a world. */
  readonly salt: number;
  readonly variants: Variants;
  /** The treasury's wallet address. */
  readonly treasury: string;
  /** The yield index of a token now, a ray that never falls. */
  yieldIndex(token: Token): bigint;
  /** USD for one token with eight decimals; the last known one while the source is out. */
  priceE8(token: Token): bigint;
  /** The APY that savings of a token earn now, in ppm; the last known one while the source is out. */
  apyPpm(token: Token): bigint;
  /** Whether the source of prices and rates is out. */
  readonly oracleIsOut: boolean;
  /** Of when the prices are and how old they may be, when they are older than that; null while they can be used. */
  readonly stalePrice: { readonly asOfMs: number; readonly maxAgeMs: number } | null;
  /** How long a queued withdrawal waits. */
  readonly withdrawalDelayMs: number;
  /** What the review policy does with an application made now. */
  reviewTiming(): ReviewTiming;
}

/** What a confirmed transaction did to one watched address, read from the chain. Amounts in base units. */
export interface ChainReceipt {
  readonly signature: string;
  readonly confirmed: boolean;
  /** Solana's error, as text; null when it succeeded. */
  readonly error: string | null;
  /** Net change of the looked-at address. */
  readonly received: PerToken<bigint>;
  /** The bank's mint of USDC, and the other mints of which the looked-at address received tokens, sorted. */
  readonly usdcMint: string;
  readonly otherMints: readonly string[];
  /** What the caller's wallet, as a signer and owner of the source, paid out net; zero for one that did not sign. */
  readonly paidByCaller: PerToken<bigint>;
  /** Of each token the owner whose balance fell most. */
  readonly senders: PerToken<string>;
  /** Net change of the caller's own wallet, to tell a payment that went there. */
  readonly receivedByCaller: PerToken<bigint>;
  readonly slot: number;
  readonly blockTimeSeconds: number;
}

/** What the chain knows of an agent's wallet, for the score. */
export interface OnChainData {
  readonly lamports: bigint;
  readonly totalTransactions: number;
  /** When the chain first saw the wallet; null when it never did. */
  readonly firstSeenMs: number | null;
}
