import type { BankTerms } from './bank-terms.js';
import type { PerToken, Token } from './money.js';
import type { Result } from './result.js';
import type { Variants } from './variants.js';

/** How a review policy decides an application: by a person, or by the score, at once or at an instant. */
export type ReviewTiming =
  | { readonly kind: 'manual' }
  | { readonly kind: 'at-once' }
  | { readonly kind: 'at'; readonly atMs: number };

/** Everything except the books that a decision may read: the world at one instant. */
export interface Env {
  readonly nowMs: number;
  /** Seeds ids; constant for a world. */
  readonly salt: number;
  readonly variants: Variants;
  readonly terms: BankTerms;
  /** The treasury's wallet address. */
  readonly treasury: string;
  /** The current yield index of a token, a ray that never decreases. */
  yieldIndex(token: Token): bigint;
  /** USD per token with eight decimals; the last known price while the oracle is down. */
  priceE8(token: Token): bigint;
  /** The current APY of a token's savings in ppm; the last known APY while the oracle is down. */
  apyPpm(token: Token): bigint;
  /** Whether the oracle is down. Asked by calls that it then refuses. */
  oracleIsOut(): boolean;
  /** The time of the prices and their maximum age, when they exceed it; null while they are usable. */
  stalePrice(): { readonly asOfMs: number; readonly maxAgeMs: number } | null;
  /** The delay of a queued withdrawal. */
  readonly withdrawalDelayMs: number;
  /** Maximum number of undecided applications per agent. */
  readonly maxOpenApplications: number;
  /** The review policy's timing for an application made now. */
  reviewTiming(): ReviewTiming;
}

/** The effect of a confirmed transaction on one watched address, read from the chain. Amounts in base units. */
export interface ChainReceipt {
  readonly signature: string;
  readonly confirmed: boolean;
  /** Solana's error as text; null on success. */
  readonly error: string | null;
  /** Net change at the watched address. */
  readonly received: PerToken<bigint>;
  /** The bank's USDC mint, and the other mints whose tokens the watched address received, sorted. */
  readonly usdcMint: string;
  readonly otherMints: readonly string[];
  /** The net amount that the caller's wallet paid as a signer and owner of the source; zero if it did not sign. */
  readonly paidByCaller: PerToken<bigint>;
  /** Per token, the owner whose balance fell most. */
  readonly senders: PerToken<string>;
  /** Net change of the caller's own wallet, to detect a payment that went there. */
  readonly receivedByCaller: PerToken<bigint>;
  readonly slot: number;
  readonly blockTimeSeconds: number;
}

/**
 * The chain's data about a transaction that a caller submits as evidence. Refuses `transaction_not_found`,
 * `transaction_not_confirmed`, `transaction_too_old`, `chain_unavailable`.
 */
export type LookUp = () => Result<ChainReceipt>;

/** On-chain data of an agent's wallet, for the score. */
export interface OnChainData {
  readonly lamports: bigint;
  readonly totalTransactions: number;
  /** When the wallet first appeared on chain; null if it never did. */
  readonly firstSeenMs: number | null;
}
