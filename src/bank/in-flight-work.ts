import type { RequestContext } from '../core/domain/request-context.js';
import type { DueItem } from '../core/domain/due.js';
import type { Token } from '../core/domain/money.js';
import type { Result } from '../core/domain/result.js';

/** What a transfer of the bank is for. */
export type Purpose =
  | { readonly kind: 'outflow'; readonly outflow: number }
  | { readonly kind: 'account'; readonly owner: string }
  /** Into the lending protocol when the amount is positive, else out of it. */
  | { readonly kind: 'savings'; readonly token: Token; readonly amountBase: bigint }
  | { readonly kind: 'sweep'; readonly wallet: string; readonly token: Token; readonly amountBase: bigint };

/** A transfer that was sent, or is about to be, while nobody can tell what became of it. */
export interface UnconfirmedTransfer {
  readonly purpose: Purpose;
  /** Lamports that it moves besides what it costs. */
  readonly movedLamports: bigint;
  readonly cause: RequestContext;
}

/** What is kept of a call. */
export interface Stored {
  readonly hash: string;
  /** Null while what was asked for is under way. */
  readonly answer: Result<unknown> | null;
  /** The outflow that was under way when it was answered. */
  readonly underWay: number | null;
}

/** An Idempotency-Key whose call has reserved an outflow and is not answered. */
export interface InFlightKey {
  readonly id: string;
  readonly stored: Stored;
  readonly expiresMs: number;
}

/**
 * What calls that are not over have begun, as a value. No mark holds it, since marks are taken when nothing is under way; who goes on
 * from a moment in the middle has to end it, see `Bank.resume`.
 */
export interface InFlightWork {
  /** Signed transactions on their way to the chain by signature, and those whose entry is still to come. */
  readonly transfers: readonly (readonly [string, UnconfirmedTransfer])[];
  readonly keys: readonly InFlightKey[];
  /** What has fallen due, is off the books, and is not carried out to its end. */
  readonly due: readonly DueItem[];
}

/** Told of changes that a mark shows as a whole only, as they happen: who keeps a log of changes writes these instead. */
export interface BankChangeListener {
  /** The earliest due item was taken off the books when the journal had so many entries. */
  readonly taken: (size: number) => void;
  /** What another process has begun and not done was put back on the books. */
  readonly again: (items: readonly DueItem[]) => void;
  /** A challenge was used. */
  readonly used: (key: string, expiresMs: number, nowMs: number) => void;
  /** A call was kept under its Idempotency-Key. */
  readonly kept: (key: string, stored: Stored, expiresMs: number, nowMs: number) => void;
}
