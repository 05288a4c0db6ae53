import type { EndpointId } from '../../contract/endpoints.js';
import type { FaultReport } from '../../runtime/faults/faults.js';

/** A request that was answered, or whose answer was lost to a fault. Appended to the event log as is. */
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
  /** The faults injected into it. */
  readonly faults: readonly FaultReport[];
  /** Real milliseconds. */
  readonly ms: number;
}

/** An answered request while it is in flight: what is not known yet is null. */
export type PendingRequest = { -readonly [K in keyof AnsweredRequest]: AnsweredRequest[K] };

const NONE: readonly FaultReport[] = [];

/** Creates the record of an incoming request. It stays one object throughout: the log holds many of them. */
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
