import type { RequestEvent } from '../events/event.js';
import type { Strike } from '../faults/faults.js';
import type { AnsweredRequest } from '../http/app.js';
import type { AnsweredCall } from '../rpc/dispatcher.js';

const NONE: RequestEvent['faults'] = [];

function faultsOf(strikes: readonly Strike[]): RequestEvent['faults'] {
  if (strikes.length === 0) return NONE;
  return strikes.map(({ fault, phase, effect }) => ({ fault, phase, effect: effect.kind }));
}

/** A request of the service's API as an event. */
export function requestEvent(answered: AnsweredRequest): RequestEvent {
  const { method, path, operation, wallet, status, code, message, details, input, strikes } = answered;
  return {
    kind: 'request',
    interface: 'api',
    method,
    path,
    operation,
    wallet,
    status,
    code,
    message,
    details,
    input,
    faults: faultsOf(strikes),
  };
}

/** A call of the chain's RPC as an event. */
export function callEvent({ method, detail, code, message, strikes, isLost }: AnsweredCall): RequestEvent {
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
    faults: faultsOf(strikes),
  };
}
