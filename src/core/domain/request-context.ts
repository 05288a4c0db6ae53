/** A fault injected when the bank or an agent submits a transaction to the chain. */
export type SubmitFault =
  /** The transaction is lost in transit: it is not refused and never runs. */
  | { readonly kind: 'drop' }
  /** It arrives after this many milliseconds of simulated time; a stale blockhash is then refused. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Its blockhash is refused as expired. */
  | { readonly kind: 'expire' }
  | { readonly kind: 'unavailable' };

/** A fault injected when the outcome of a transaction is queried. */
export type ConfirmFault =
  /** It runs, and is confirmed after this many milliseconds of simulated time. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** It runs, and its outcome cannot be queried during this call. */
  | { readonly kind: 'unavailable' };

export interface InjectedFaults {
  readonly submit: SubmitFault | null;
  readonly confirm: ConfirmFault | null;
  /** Whether the oracle is down for this call. */
  readonly oracleIsOut: boolean;
  /** To be called when a part affects the call. */
  readonly onFired: (part: 'submit' | 'confirm' | 'oracleIsOut') => void;
}

/** What started an operation: the originating request and any injected faults. */
export interface RequestContext {
  /** Null when the operation was started by the clock or by code in this process. */
  readonly requestId: string | null;
  /** Null for a call without faults. */
  readonly trouble: InjectedFaults | null;
}

/** The context of operations started by the clock or by code in this process. */
export const NO_REQUEST: RequestContext = { requestId: null, trouble: null };
