import type { RequestEvent } from '../events/event.js';
import type { AnsweredCall } from '../rpc/dispatcher.js';

/** A call of the chain's RPC as an event. */
export function callEvent({ method, detail, code, message, faults, isLost }: AnsweredCall): RequestEvent {
  return {
    kind: 'request',
    interface: 'rpc',
    method: 'RPC',
    path: method,
    operation: method,
    wallet: null,
    status: isLost ? null : 200,
    code,
    message,
    details: null,
    input: detail,
    faults,
  };
}
