import { ERRORS, type ErrorStatus, type Refusal, messageOf } from '../../core/domain/errors.js';
import type { Variants } from '../../core/domain/variants.js';
import { NO_STORE } from '../headers.js';

const JSON_TYPE = 'application/json; charset=UTF-8';

/** The error with which `fetch` rejects when the response is lost. */
export function connectionEnded(): TypeError {
  return new TypeError('fetch failed', { cause: new Error('a fault ended the connection') });
}

/** A response with its request id; its body is JSON text already. */
export function textAnswer(
  text: string,
  status: number,
  requestId: string,
  more: Readonly<Record<string, string>> = {},
): Response {
  const headers = { 'content-type': JSON_TYPE, 'x-request-id': requestId, ...NO_STORE, ...more };
  return new Response(text, { status, headers });
}

/** The status of a refusal under the variant `errorStatus`. */
export function statusOf(refusal: Refusal, errorStatus: Variants['errorStatus']): ErrorStatus {
  return errorStatus[refusal.code] ?? ERRORS[refusal.code][0];
}

export function refusalBody(refusal: Refusal, requestId: string): object {
  return { error: messageOf(refusal), code: refusal.code, details: refusal.details ?? {}, requestId };
}
