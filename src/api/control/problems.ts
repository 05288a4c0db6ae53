import { InvalidOptions } from '../../runtime/config.js';
import { refusalOf } from '../../bank/bank.js';
import { messageOf } from '../../core/domain/errors.js';
import { ChainRefusal } from '../../chain/submission.js';
import {
  ClusterLimit,
  EventNotDue,
  NotFound,
  RefusedError,
  SecretKeyUnknown,
  TooManyEvents,
  WorldClosed,
} from '../../runtime/refusals.js';
import type { Problem } from '../origin-guard.js';
import { StateError } from '../../persistence/state-file/state-error.js';

export class RangeProblem extends Error implements Problem {
  override readonly name = 'RangeProblem';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The problem document of an exception; null for a bug. */
export function problemOf(error: unknown): Problem | null {
  if (error instanceof RangeProblem) return error;
  if (error instanceof RefusedError) {
    const status = error.refusal.code.endsWith('not_found') ? 404 : 400;
    return { status, code: error.refusal.code, message: error.message };
  }
  if (error instanceof NotFound) return { status: 404, code: error.code, message: error.message };
  if (error instanceof ChainRefusal)
    return { status: 400, code: 'transaction_failed', message: error.message };
  if (error instanceof ClusterLimit) return { status: 400, code: 'not_on_a_cluster', message: error.message };
  if (error instanceof EventNotDue) return { status: 400, code: 'event_not_due', message: error.message };
  if (error instanceof TooManyEvents) return { status: 400, code: 'too_many_events', message: error.message };
  if (error instanceof WorldClosed) return { status: 500, code: 'world_closed', message: error.message };
  if (error instanceof SecretKeyUnknown)
    return { status: 400, code: 'secret_key_unknown', message: error.message };
  if (error instanceof StateError) return { status: 400, code: error.code, message: error.message };
  if (error instanceof InvalidOptions || error instanceof RangeError)
    return { status: 400, code: 'invalid_request', message: error.message };
  const refusal = refusalOf(error);
  return refusal === null ? null : { status: 500, code: refusal.code, message: messageOf(refusal) };
}
