import { ERRORS, type ErrorStatus, type Refusal, sentenceOf } from '../domain/errors.js';
import type { Variants } from '../domain/variants.js';

const JSON_TYPE = 'application/json; charset=UTF-8';

/** A JSON answer with its request id. */
export function jsonAnswer(body: unknown, status: number, requestId: string): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': JSON_TYPE, 'x-request-id': requestId },
  });
}

/** The status of a refusal under the `errorStatus` switch. */
export function statusOf(refusal: Refusal, errorStatus: Variants['errorStatus']): ErrorStatus {
  return errorStatus[refusal.code] ?? ERRORS[refusal.code][0];
}

/** The error envelope of a refusal. */
export function refusalBody(refusal: Refusal, requestId: string): object {
  return { error: sentenceOf(refusal), code: refusal.code, details: refusal.details ?? {}, requestId };
}
