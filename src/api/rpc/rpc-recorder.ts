/** One call that is recorded, from its beginning to its answer. */
export interface RpcTrace {
  /** It has come into the world; when a fault makes it wait, what that takes is no part of the time at which it was taken. */
  arrived(isWaiting: boolean): void;
  /** Runs the synchronous part of a work at one instant of a running clock. */
  still<T>(work: () => T): T;
  /** What came of it; `isLost` when a fault has lost the answer. */
  answered(answer: RpcOutcome, isLost: boolean): void;
}

/** The result of a call, or its error. */
export type RpcOutcome =
  { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } };

/** What records calls of the RPC. */
export interface RpcRecorder {
  /** Null for a call that changes nothing, which is not recorded. */
  rpc(method: string, params: unknown, requestId: string): RpcTrace | null;
}

/** Where a recorder can be put in while the RPC runs; `on` is null while nothing is recorded. */
export interface RpcRecorderSlot {
  readonly on: RpcRecorder | null;
}
