/** Records one RPC call, from its arrival to its response. */
export interface RpcTrace {
  /** Called when the call is about to run; if a fault delays it (`isWaiting`), its recorded time is that before the delay. */
  arrived(isWaiting: boolean): void;
  /** Runs the synchronous part of `work` with a running clock held at one instant. */
  still<T>(work: () => T): T;
  /** Called with the outcome; `isLost` when a fault has lost the response. */
  answered(answer: RpcOutcome, isLost: boolean): void;
}

/** The result of a call, or its error. */
export type RpcOutcome =
  { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } };

/** Records RPC calls. */
export interface RpcRecorder {
  /** `null` for a call that is not recorded. */
  rpc(method: string, params: unknown, requestId: string): RpcTrace | null;
}

/** A recorder can be inserted while the RPC runs; `on` is null while nothing is recorded. */
export interface RpcRecorderSlot {
  readonly on: RpcRecorder | null;
}
