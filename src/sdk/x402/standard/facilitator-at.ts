import { isObject } from '../../../core/json.js';
import { type FetchLike, trimmedUrl } from '../../../core/fetch.js';
import { limitedJson } from '../response-body.js';
import type { StandardFacilitator, StandardPayment } from '../ports.js';

const TIMEOUT_MS = 30_000;

/** Connects to a facilitator by its URL, such as `http://127.0.0.1:4020/facilitator`. */
export function facilitatorAt(url: string, fetcher?: FetchLike): StandardFacilitator {
  const base = trimmedUrl('url', url);
  const ask = async (path: string, payment: StandardPayment): Promise<Record<string, unknown>> => {
    const response = await (fetcher ?? fetch)(`${base}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(payment),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = await limitedJson(response);
    if (!isObject(body)) throw new Error(`the facilitator returned ${response.status} without a JSON object`);
    if (response.ok) return body;
    const { error } = body;
    throw new Error(
      `the facilitator returned ${response.status}${typeof error === 'string' ? `: ${error}` : ''}`,
    );
  };
  const unreachable = (error: unknown) => ({
    kind: 'unreachable' as const,
    reason: error instanceof Error ? error.message : String(error),
  });
  const reasonOf = (reason: unknown, message: unknown): string =>
    [reason, message].filter((part) => typeof part === 'string').join(': ');
  return {
    verify: async (payment) => {
      try {
        const { isValid, payer, invalidReason, invalidMessage } = await ask('verify', payment);
        if (isValid === true && typeof payer === 'string') return { kind: 'valid', payer };
        return { kind: 'invalid', reason: reasonOf(invalidReason, invalidMessage) };
      } catch (error) {
        return unreachable(error);
      }
    },
    settle: async (payment) => {
      try {
        const result = await ask('settle', payment);
        const { success, transaction, errorReason, errorMessage, ...rest } = result;
        const reason = reasonOf(errorReason, errorMessage);
        if (typeof transaction !== 'string' || transaction === '') return { kind: 'failed', reason };
        const txSignature = transaction;
        if (success === true) return { kind: 'settled', txSignature, result };
        if (errorReason === 'settlement_pending') return { kind: 'pending', txSignature, reason };
        if (errorReason !== 'duplicate_settlement') return { kind: 'failed', reason };
        return { kind: 'repeated', txSignature, result: { ...rest, transaction, success: true } };
      } catch (error) {
        return unreachable(error);
      }
    },
  };
}
