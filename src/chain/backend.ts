import type { RequestContext } from '../core/domain/request-context.js';
import type { Account } from './engine.js';
import type { TransactionRecord } from './history.js';
import type { SubmitPolicy, Submission } from './submission.js';
import type { WireTransaction } from './solana/wire.js';

/** A value, or a promise of it. Fast paths check which before they await. */
export type MaybePromise<T> = T | Promise<T>;

/** Maps a value, synchronously when it is available. */
export function mapMaybe<T, R>(value: MaybePromise<T>, goOn: (there: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}

/** The result of looking up a signature that a caller wants counted. */
export type Lookup =
  | { readonly kind: 'known'; readonly record: TransactionRecord; readonly isConfirmed: boolean }
  | { readonly kind: 'unknown' }
  /** The chain knows it, but it is not confirmed. */
  | { readonly kind: 'unconfirmed' }
  /** It predates the bank's books of the address: its effect is part of their opening balance. */
  | { readonly kind: 'older' }
  /** The chain could not be reached. */
  | { readonly kind: 'unreachable'; readonly reason: string };

/** Lamports and base units of USDC. */
export interface Holdings {
  readonly USDC: bigint;
  readonly SOL: bigint;
}

/** A wallet's activity on chain, as far back as the chain's history reaches. */
export interface Activity {
  readonly transactions: number;
  /** When the wallet first appeared on chain, in seconds since 1970; null if it never did. */
  readonly firstSeconds: number | null;
}

/** The chain could not be reached. */
export class ChainUnreachable extends Error {
  override readonly name: string = 'ChainUnreachable';

  constructor(
    message: string,
    /** Whether a submitted transaction may have arrived anyway. */
    readonly mayHaveArrived: boolean,
  ) {
    super(message);
  }
}

/** A transaction was sent and its outcome is unknown; query `outcomeOf` later. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';

  constructor(
    readonly signature: string,
    reason: string,
  ) {
    super(reason);
  }
}

/**
 * The chain as the bank uses it: an embedded one, which answers synchronously, or a remote cluster. All results are of confirmed
 * state. Throws ChainUnreachable when the chain cannot be queried.
 */
export interface ChainBackend {
  /** A recent blockhash for the bank's own transactions. */
  cachedBlockhash(): MaybePromise<string>;
  /** Submits a transaction of the bank. Throws OutcomeUnknown when it was sent but its outcome is unknown. */
  submitOwn(wire: WireTransaction, own: SubmitPolicy): Promise<Submission>;
  /** The outcome of a transaction of the bank; null while it is unknown. */
  outcomeOf(signature: string): Promise<Submission | null>;
  /**
   * A transaction of the bank that has run although its outcome is not reported yet: its effect is on the chain and not on the books.
   * Null when it has not run, or when that cannot be known.
   */
  executedUnconfirmed(signature: string): TransactionRecord | null;
  /** Looks up a transaction that a caller wants counted at an address of the bank. Never throws. */
  lookUp(signature: string, address: string, cause: RequestContext): MaybePromise<Lookup>;
  activityOf(address: string): MaybePromise<Activity>;
  /** An account as needed before a transfer; null when it does not exist. */
  knownAccount(address: string): MaybePromise<Account | null>;
  /** Accounts, synchronously; null for a chain that cannot be read synchronously. */
  accountsNow(addresses: readonly string[]): readonly (Account | null)[] | null;
  /** Current accounts, from a single instant as far as the chain allows. */
  getAccounts(addresses: readonly string[]): Promise<(Account | null)[]>;
  /**
   * Begins to watch an address of the bank: from then on, every external transaction that changes it is reported to the observer.
   * Returns its holdings at that instant; null when it is watched already, or is known to start empty.
   */
  watch(address: string): Promise<Holdings> | null;
  /** Whether what an address held when it began to be watched, or will hold when it does, includes a transaction of the bank that has run. */
  isInOpening(ran: { readonly signature: string; readonly slot: number }, address: string): boolean;
  /** Calls `observer` once for each external transaction at the watched addresses. */
  onForeignTransaction(observer: (record: TransactionRecord) => void): void;
  /** Reports to the observer everything new on the chain. Resolves to whether there was anything. */
  catchUp(): Promise<boolean>;
}
