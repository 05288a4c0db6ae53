import type { EndpointId } from '../../contract/endpoints.js';
import type { RequestEvent } from '../../runtime/events/event.js';
import type { FaultReport } from '../../runtime/faults/fault-rules.js';
import type { RequestTrace } from './recorder-port.js';

/** A request whose response was sent, or lost to a fault. It is appended to the event log as it is. */
export interface AnsweredRequest extends RequestEvent {
  readonly interface: 'api';
  readonly requestId: string;
  readonly operation: EndpointId | null;
  readonly code: string | null;
  readonly faults: readonly FaultReport[];
  /** Real milliseconds. */
  readonly ms: number;
}

/** The logged members of a request in flight, for any interface; unknown ones are null. */
export type RequestRecord = {
  -readonly [K in keyof AnsweredRequest]: K extends 'interface' | 'operation' | 'code'
    ? RequestEvent[K]
    : AnsweredRequest[K];
};

/** The longest logged input, in characters: series of rates are long, and people read the log. */
export const LOGGED_INPUT = 2_048;

/** The most characters of a response that the log keeps. */
export const LOGGED_ANSWER = 2_048;

const NONE: readonly FaultReport[] = [];

/** A request in flight; `A` is the response that is recorded. */
export class PendingRequest<A = unknown> {
  /** The same object throughout, since the log holds many of them. */
  readonly record: RequestRecord;
  /** `null` while nothing is recorded. */
  trace: RequestTrace<A> | null = null;
  readonly startedMs = performance.now();

  constructor(known: Pick<RequestRecord, 'requestId' | 'interface' | 'method' | 'path'>) {
    this.record = {
      kind: 'request',
      interface: known.interface,
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
      answer: null,
      faults: NONE,
      ms: 0,
    };
  }

  /** Runs the synchronous part of `work` at one instant of the recording, if one is in progress. */
  still<T>(work: () => T): T {
    return this.trace === null ? work() : this.trace.still(work);
  }
}
