/** What is to go wrong when the bank or an agent hands a transaction to the chain. */
export type SubmitFault =
  /** It is lost on the way: nobody refuses it, and it never runs. */
  | { readonly kind: 'drop' }
  /** It arrives so many milliseconds of the world's time later; a stale blockhash refuses it then. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Its blockhash is refused as too old. */
  | { readonly kind: 'expire' }
  /** The chain cannot be reached. */
  | { readonly kind: 'unavailable' };

/** What is to go wrong when the chain is asked what became of a transaction. */
export type ConfirmFault =
  /** It runs, and is confirmed only so many milliseconds of the world's time later. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** It runs, and the chain cannot be asked about it during this call. */
  | { readonly kind: 'unavailable' };

/** Everything that is to go wrong on the way of one call. */
export interface InjectedFaults {
  readonly submit: SubmitFault | null;
  readonly confirm: ConfirmFault | null;
  /** Whether the source of rates and prices is out for this call. */
  readonly oracleIsOut: boolean;
}

/** Why something happens: the call that asked for it, and what is to go wrong with it. */
export interface RequestContext {
  /** Null when time, or a program in this process, is the cause. */
  readonly requestId: string | null;
  /** Null for a call that nothing is to go wrong with. */
  readonly trouble: InjectedFaults | null;
}

/** Nobody's request: time, or a program in this process. */
export const NO_REQUEST: RequestContext = { requestId: null, trouble: null };
