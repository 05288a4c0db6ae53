import type { EndpointId } from '../../contract/endpoints.js';
import type { ApiRequest, ApiResponse } from './request.js';

/** One call that is recorded, from its beginning to its answer. */
export interface CallTrace {
  /** It has a number. */
  begun(requestId: string): void;
  /** It has come into the world; when a fault makes it wait, what that takes is no part of the time at which it was taken. */
  arrived(isWaiting: boolean): void;
  /** Runs the synchronous part of a work at one instant of a running clock. */
  still<T>(work: () => T): T;
  /** What it was told (null when a fault has lost that), and whose token it had. */
  answered(told: ApiResponse['body'], wallet: string | null): void;
}

/** What records the calls of a service. */
export interface CallRecorder {
  call(operation: EndpointId, asked: ApiRequest): CallTrace;
}

/** Where a recorder can be put in while the service runs; `on` is null while nothing is recorded. */
export interface CallRecorderSlot {
  readonly on: CallRecorder | null;
}
