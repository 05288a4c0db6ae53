import type { RequestContext } from '../core/domain/request-context.js';
import type { Account, Execution, TransactionError } from './engine.js';
import { errorSentence } from './solana/errors.js';
import type { TouchedAccount, TransactionRecord } from './history.js';
import type { FlatTransaction, Loaded } from './lookup-tables.js';

export type Submission =
  | { readonly kind: 'processed'; readonly record: TransactionRecord }
  | {
      readonly kind: 'refused';
      readonly error: TransactionError;
      readonly logs: readonly string[];
      /** The failed preflight; null without a preflight. */
      readonly trial: Execution | null;
    };

export interface SubmitOptions {
  /** The originating request; none when left out. */
  readonly cause?: RequestContext | undefined;
  /** Skips preflight, as a cluster does on request: a failing transaction is then charged and recorded. */
  readonly skipPreflight?: boolean;
  /** The slot in which it arrived, for which its blockhash must be recent; the current one when left out. */
  readonly atSlot?: number;
}

export interface Simulation {
  readonly execution: Execution;
  /** The fee, if the simulation got that far. */
  readonly feeLamports: bigint;
  readonly loaded: Loaded;
  /** The writable accounts. */
  readonly touched: readonly TouchedAccount[];
}

export interface SimulateOptions {
  /** Accepts any blockhash, and transactions that have already been processed. */
  readonly replaceBlockhash?: boolean;
}

/** Called after every change of the chain. */
export interface ChainListener {
  changed(
    touched: readonly TouchedAccount[],
    transaction: TransactionRecord | null,
    cause: RequestContext,
  ): void;
  /** The chain was restored to another state, which changed these accounts. */
  restored(touched: readonly TouchedAccount[]): void;
}

/** A transaction that the chain refused, with Solana's error as the message. */
export class ChainRefusal extends Error {
  override readonly name = 'ChainRefusal';

  constructor(
    message: string,
    /** The error as in Solana's JSON; null when the chain returned none. */
    readonly transactionError: TransactionError | null = null,
  ) {
    super(message);
  }
}

/** The transaction that was submitted and ran. Throws ChainRefusal. */
export function processed(submission: Submission): TransactionRecord {
  if (submission.kind === 'refused')
    throw new ChainRefusal(errorSentence(submission.error), submission.error);
  return submission.record;
}

export type Refused = Submission & { kind: 'refused' };

/** A refusal; the transaction had no effect. */
export function refused(
  error: TransactionError,
  logs: readonly string[] = [],
  trial: Execution | null = null,
): Refused {
  return { kind: 'refused', error, logs, trial };
}

/** A placeholder for the execution of a transaction that was not executed. */
export function notExecuted(error: TransactionError, logs: readonly string[] = []): Execution {
  return { executed: false, error, logs, unitsConsumed: 0n, returnData: null, innerInstructions: null };
}

/** The effect of an execution on the writable accounts. The lamports missing afterwards are the fee. */
export function compared(
  writable: readonly string[],
  pre: readonly (Account | null)[],
  post: readonly (Account | null)[],
): { touched: TouchedAccount[]; feeLamports: bigint } {
  let feeLamports = 0n;
  const touched = writable.map((address, at) => {
    const [before, after] = [pre[at] ?? null, post[at] ?? null];
    feeLamports += (before?.lamports ?? 0n) - (after?.lamports ?? 0n);
    return { address, pre: before, post: after };
  });
  return { touched, feeLamports };
}

/** A transaction on its way to the engine. */
export interface Prepared {
  readonly flat: FlatTransaction;
  readonly loaded: Loaded;
  readonly writable: readonly string[];
  readonly pre: readonly (Account | null)[];
  readonly slot: number;
}
