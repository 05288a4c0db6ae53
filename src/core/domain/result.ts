import type { ErrorCode, Refusal } from './errors.js';

/** The outcome of an operation that may be refused: refusals are values, exceptions are bugs. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal };

/** A success that carries `value`. */
export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function refuse(code: ErrorCode, details?: Refusal['details'], message?: string): Result<never> {
  return {
    ok: false,
    refusal: {
      code,
      ...(details === undefined ? {} : { details }),
      ...(message === undefined ? {} : { message }),
    },
  };
}
