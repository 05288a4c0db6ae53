import type { PerToken } from '../core/domain/money.js';
import type { RequestContext } from '../core/domain/request-context.js';
import type { Account } from './engine.js';
import type { TransactionRecord } from './history.js';
import type { Submission, SubmitOptions } from './submission.js';
import type { WireTransaction } from './solana/wire.js';

/** The result of looking up a signature that a caller submits as evidence. */
export type Lookup =
  | { readonly kind: 'known'; readonly record: TransactionRecord; readonly isConfirmed: boolean }
  | { readonly kind: 'unknown' }
  /** The transaction is known but not confirmed. */
  | { readonly kind: 'unconfirmed' }
  /** It predates the bank's books for the address: their opening balance includes it. */
  | { readonly kind: 'older' }
  /** The chain could not be reached. */
  | { readonly kind: 'unreachable'; readonly reason: string };

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

/** The error if it says that the chain could not be reached; rethrows every other error. */
export function asUnreachable(error: unknown): ChainUnreachable {
  if (error instanceof ChainUnreachable) return error;
  throw error;
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

/** What an operation will read from the chain. */
export interface WantedReads {
  /** A transaction that a caller submits as evidence of a payment to an address of the bank. */
  readonly transaction?: { readonly signature: string; readonly address: string };
  readonly account?: string;
  /** The wallet whose activity it reads. */
  readonly activityOf?: string;
  readonly blockhash?: true;
}

/** The view of the chain for one operation. */
export interface ChainReads {
  /** A recent blockhash for the bank's own transactions. */
  blockhash(): string;
  /** Looks up a transaction that a caller submits as evidence of a payment to an address of the bank. */
  lookUp(signature: string, address: string, cause: RequestContext): Lookup;
  /** An account, as read before a transfer; null when it does not exist. */
  account(address: string): Account | null;
  activityOf(address: string): Activity;
}

/** The chain as the bank uses it: an embedded one or a remote cluster. All results are of confirmed state. */
export interface ChainBackend {
  /** Null for a cluster, which must be read before an operation. */
  readonly reads: ChainReads | null;
  /**
   * Runs an operation that reads only what it declares: immediately on an in-process chain, and after reading a
   * cluster. Throws ChainUnreachable, but not for a transaction.
   */
  reading<T>(wanted: WantedReads, operation: (reads: ChainReads) => T): T | Promise<T>;
  /** Submits a transaction of the bank. Throws OutcomeUnknown when it may have been sent; after any other error it was not. */
  submitOwn(wire: WireTransaction, options: SubmitOptions): Promise<Submission>;
  /** The outcome of a transaction of the bank; null while it is unknown. Throws ChainUnreachable. */
  outcomeOf(signature: string): Promise<Submission | null>;
  /**
   * A transaction of the bank that has run although its outcome is not reported yet: its effect is on the chain but not
   * on the books. Null when it has not run, or when this is unknown.
   */
  executedUnconfirmed(signature: string): TransactionRecord | null;
  /** Current accounts, from a single instant if the chain allows it. Throws ChainUnreachable. */
  getAccounts(addresses: readonly string[]): Promise<(Account | null)[]>;
  /**
   * Begins to watch an address of the bank: from then on, every external transaction that changes it is reported to the
   * observer. Returns its holdings at that instant; null when it is already watched, or is known to start empty.
   */
  watch(address: string): Promise<PerToken<bigint>> | null;
  /** Whether the initial holdings of a watched address include, or will include, a transaction of the bank that has run. */
  isInOpening(ran: { readonly signature: string; readonly slot: number }, address: string): boolean;
  /** Calls `observer` once for each external transaction at the watched addresses. */
  onForeignTransaction(observer: (record: TransactionRecord) => void): void;
  /** Reports everything new on the chain to the observer. Resolves to whether anything was new. Throws ChainUnreachable. */
  catchUp(): Promise<boolean>;
}
