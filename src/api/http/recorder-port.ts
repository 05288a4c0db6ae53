import type { EndpointId } from '../../contract/endpoints.js';
import type { ApiRequest, ApiResponse } from './request.js';

/** Records one call, from its arrival to its response. */
export interface CallTrace {
  /** Called when the call has a request id. */
  begun(requestId: string): void;
  /** Called when the call is about to run; if a fault delays it (`isWaiting`), its recorded time is that before the delay. */
  arrived(isWaiting: boolean): void;
  /** Runs the synchronous part of `work` with a running clock held at one instant. */
  still<T>(work: () => T): T;
  /** Called with the response (null when a fault has lost it) and the wallet of the token. */
  answered(body: ApiResponse['body'], wallet: string | null): void;
}

/** Records the calls of a service. */
export interface CallRecorder {
  call(operation: EndpointId, request: ApiRequest): CallTrace;
}

/** A recorder can be inserted while the service runs; `on` is null while nothing is recorded. */
export interface CallRecorderSlot {
  readonly on: CallRecorder | null;
}
