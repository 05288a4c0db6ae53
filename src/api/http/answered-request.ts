import type { EndpointId } from '../../contract/endpoints.js';
import type { FaultReport } from '../../runtime/faults/faults.js';

/** A request that was answered, or whose answer a fault has lost. It is an event of the log as it stands. */
export interface AnsweredRequest {
  readonly kind: 'request';
  readonly interface: 'api';
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** The operation; null for pages and unknown paths. */
  readonly operation: EndpointId | null;
  readonly wallet: string | null;
  /** Null when the answer was lost. */
  readonly status: number | null;
  /** The error code; null for a success. */
  readonly code: string | null;
  readonly message: string | null;
  readonly details: unknown;
  /** The parsed body or query of an operation with a token, unless it is large; null otherwise. */
  readonly input: unknown;
  /** The faults that struck it. */
  readonly faults: readonly FaultReport[];
  /** Real milliseconds. */
  readonly ms: number;
}

/** The same while it is on its way: what is not known yet is null. */
export type PendingRequest = { -readonly [K in keyof AnsweredRequest]: AnsweredRequest[K] };

const NONE: readonly FaultReport[] = [];

/** A request that has just come in. Answered or not, it is one object from here on: the log keeps many of them. */
export function arrived(known: { requestId: string; method: string; path: string }): PendingRequest {
  return {
    kind: 'request',
    interface: 'api',
    requestId: known.requestId,
    method: known.method,
    path: known.path,
    operation: null,
    wallet: null,
    status: null,
    code: null,
    message: null,
    details: null,
    input: null,
    faults: NONE,
    ms: 0,
  };
}
