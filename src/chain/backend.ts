import type { RequestContext } from '../core/domain/request-context.js';
import type { Account } from './engine.js';
import type { TransactionRecord } from './history.js';
import type { SubmitPolicy, Submission } from './submission.js';
import type { WireTransaction } from './wire.js';

/** A value that is there at once, or has to be asked for. Callers that must be fast look which before they await. */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with a value, at once when it is there. */
export function mapMaybe<T, R>(value: MaybePromise<T>, goOn: (there: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}

/** What a chain says about a signature that somebody wants counted. */
export type Lookup =
  | { readonly kind: 'known'; readonly record: TransactionRecord; readonly isConfirmed: boolean }
  | { readonly kind: 'unknown' }
  /** The chain has heard of it, but it is not confirmed. */
  | { readonly kind: 'unconfirmed' }
  /** It is older than the bank's books of the address: what it moved is part of what they began with. */
  | { readonly kind: 'older' }
  /** The chain could not be asked. */
  | { readonly kind: 'unreachable'; readonly reason: string };

/** Lamports and base units of USDC. */
export interface Holdings {
  readonly USDC: bigint;
  readonly SOL: bigint;
}

/** What a wallet has done on chain, as far back as the chain tells. */
export interface Activity {
  readonly transactions: number;
  /** When the chain first saw it, in seconds since 1970; null when it never did. */
  readonly firstSeconds: number | null;
}

/** The chain could not be asked or told anything. */
export class ChainUnreachable extends Error {
  override readonly name = 'ChainUnreachable';

  constructor(
    message: string,
    /** Whether what was sent may have arrived all the same. */
    readonly mayHaveArrived: boolean,
  ) {
    super(message);
  }
}

/** A transaction was sent and nobody can say what became of it; `outcomeOf` tells later. */
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
 * What the bank uses of a chain: an embedded one, which answers at once, or a cluster, which has to be asked. Every answer is
 * of confirmed state. What cannot be asked throws ChainUnreachable.
 */
export interface ChainBackend {
  /** A recent blockhash for the bank's own transactions. */
  cachedBlockhash(): MaybePromise<string>;
  /** Runs a transaction of the bank. Throws OutcomeUnknown when it was sent but its outcome cannot be told. */
  submitOwn(wire: WireTransaction, own: SubmitPolicy): Promise<Submission>;
  /** What became of a transaction of the bank; null while that cannot be told. */
  outcomeOf(signature: string): Promise<Submission | null>;
  /**
   * A transaction of the bank that has run although its outcome is not told: what it moved is on the chain and not on the books.
   * Null when it has not, or when nobody can know.
   */
  executedUnconfirmed(signature: string): TransactionRecord | null;
  /** A transaction that somebody wants counted at an address of the bank. Never throws. */
  lookUp(signature: string, address: string, cause: RequestContext): MaybePromise<Lookup>;
  activityOf(address: string): Promise<Activity>;
  /** An account before a transfer is made; null when there is none. */
  knownAccount(address: string): MaybePromise<Account | null>;
  /** Accounts of a chain that knows them at once; null for one that has to be asked. */
  accountsNow(addresses: readonly string[]): readonly (Account | null)[] | null;
  /** Accounts as they are now, all at one moment as far as the chain allows. */
  getAccounts(addresses: readonly string[]): Promise<(Account | null)[]>;
  /**
   * Begins to look after an address of the bank: from here on, every transaction of others that changes it is told to the
   * observer. Gives what it holds at that moment; null when it is looked after already, or is known to begin with nothing.
   */
  watch(address: string): Promise<Holdings> | null;
  /** Calls `observer` once for each transaction of others at the watched addresses. */
  onForeignTransaction(observer: (record: TransactionRecord) => void): void;
  /** Brings what the observer has been told up to what the chain holds. Gives whether there was anything new. */
  catchUp(): Promise<boolean>;
}
