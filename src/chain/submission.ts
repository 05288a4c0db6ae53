import type { RequestContext } from '../core/domain/request-context.js';
import type { Account, Execution, TransactionError } from './engine.js';
import type { TouchedAccount, TransactionRecord } from './history.js';
import type { Loaded } from './lookup-tables.js';
import type { ExpectedChanges } from './prediction.js';

/** What became of a submitted transaction. */
export type Submission =
  | { readonly kind: 'processed'; readonly record: TransactionRecord }
  | {
      readonly kind: 'refused';
      readonly error: TransactionError;
      readonly logs: readonly string[];
      /** The trial run that failed; null when it did not come to one. */
      readonly trial: Execution | null;
    };

export interface SubmitOptions {
  /** Whose transaction it is; nobody's when left out. */
  readonly cause?: RequestContext;
  /** Skips the trial run, as a cluster does on request: a failing transaction is then charged and recorded. */
  readonly skipPreflight?: boolean;
}

/** What the bank says of a transaction of its own. */
export interface SubmitPolicy {
  /** What a plain transfer will do; null for anything else. */
  readonly changes: ExpectedChanges | null;
  /** Whether its failure is only told, as after a trial run, and neither charged nor kept. */
  readonly hasPreflight?: boolean;
  /** What it is for; nothing in particular when left out. */
  readonly cause?: RequestContext;
  /** Work to do while the engine runs the transaction, which most engines do on a thread of their own. */
  readonly meanwhile?: (() => void) | undefined;
}

/** A transaction from outside, which may fail on trial only. */
export const EXTERNAL: SubmitPolicy = { changes: null, hasPreflight: true };
/** One whose sender wants no trial run: it is charged and kept when it fails. */
export const SKIP_PREFLIGHT: SubmitPolicy = { changes: null };

/** What a transaction would do. */
export interface Simulation {
  readonly execution: Execution;
  /** Of the fee payer, if it came to that. */
  readonly feeLamports: bigint;
  readonly loaded: Loaded;
  /** The writable accounts. */
  readonly touched: readonly TouchedAccount[];
}

export interface SimulateOptions {
  /** Takes any blockhash, and a transaction that has been processed before. */
  readonly replaceBlockhash?: boolean;
}

/** Told of everything that changes the chain, after it has. */
export interface ChainListener {
  changed(
    touched: readonly TouchedAccount[],
    transaction: TransactionRecord | null,
    cause: RequestContext,
  ): void;
  /** The chain is another one than before. */
  restored(): void;
}

export type Refused = Submission & { kind: 'refused' };

/** A refusal; nothing came of the transaction. */
export function refused(
  error: TransactionError,
  logs: readonly string[] = [],
  trial: Execution | null = null,
): Refused {
  return { kind: 'refused', error, logs, trial };
}

/** What stands for the execution of a transaction that did not come to one. */
export function notExecuted(error: TransactionError, logs: readonly string[] = []): Execution {
  return { executed: false, error, logs, unitsConsumed: 0n, returnData: null, innerInstructions: null };
}

/** What a run did to the writable accounts. The lamports that are gone are the fee. */
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
