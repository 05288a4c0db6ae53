import type { RequestContext } from '../core/domain/request-context.js';
import type { DueItem } from '../core/domain/due.js';
import type { Token } from '../core/domain/money.js';
import type { Result } from '../core/domain/result.js';

export type Purpose =
  | { readonly kind: 'outflow'; readonly outflow: number }
  | { readonly kind: 'account'; readonly owner: string }
  /** Into the lending protocol when the amount is positive, otherwise out of it. */
  | { readonly kind: 'savings'; readonly token: Token; readonly amountBase: bigint }
  | { readonly kind: 'sweep'; readonly wallet: string; readonly token: Token; readonly amountBase: bigint };

/** A transfer that was sent, or is about to be, with unknown outcome. */
export interface UnconfirmedTransfer {
  readonly purpose: Purpose;
  /** Lamports that it transfers, without its cost. */
  readonly movedLamports: bigint;
  readonly cause: RequestContext;
}

export interface Stored {
  readonly hash: string;
  /** Null while the outcome of its outflow is unknown. */
  readonly answer: Result<unknown> | null;
  /** The outflow that was in flight when the response was sent. */
  readonly underWay: number | null;
}

/** An Idempotency-Key whose call has reserved an outflow and has no response yet. */
export interface InFlightKey {
  readonly id: string;
  readonly stored: Stored;
  readonly expiresMs: number;
}

/**
 * The work of unfinished calls, as a value. It is not part of snapshots, which are taken with nothing in flight; a
 * process that resumes from an intermediate state must complete it, see `Bank.resume`.
 */
export interface InFlightWork {
  /** Signed transactions submitted without an outcome, by signature, and those whose entry is still to be appended. */
  readonly transfers: readonly (readonly [string, UnconfirmedTransfer])[];
  readonly keys: readonly InFlightKey[];
  /** Due items that were taken off the books but not completed. */
  readonly due: readonly DueItem[];
}

export interface UsedChallenge {
  readonly key: string;
  readonly expiresMs: number;
  readonly nowMs: number;
}

/** A call whose result was stored under its Idempotency-Key. */
export interface StoredCall extends UsedChallenge {
  readonly stored: Stored;
}

/** Incremental changes, for logs of changes; a snapshot holds only their total. */
export type BankChanges = {
  /** The journal's size each time the earliest due item was taken off the books. */
  readonly taken: readonly number[];
  /** Due items that another process started but did not complete; they are reinserted first. */
  readonly again: readonly DueItem[];
  readonly used: readonly UsedChallenge[];
  readonly kept: readonly StoredCall[];
};

export type BankChangeListener = <K extends keyof BankChanges>(kind: K, ...changes: BankChanges[K]) => void;
