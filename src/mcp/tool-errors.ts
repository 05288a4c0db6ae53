import type { CallToolResult } from '@modelcontextprotocol/server';
import { ChainRefusal } from '../chain/submission.js';
import { ControlError } from '../api/control/client.js';
import { ChainRpcError } from '../sdk/client/chain-at.js';
import { BankError } from '../sdk/client/client.js';
import { PaymentError } from '../sdk/x402/paying/payment-error.js';
import type { Backend } from './backend.js';
import { ToolRefusal } from './tool-refusal.js';

export interface ToolError {
  /** A stable code: the bank's, the control interface's, the paying client's, or this server's. */
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly request_id?: string | null;
  /** What happened and what to do about it, with figures. */
  readonly explanation?: string | null;
  /** Whether money was paid, for calls of paid services. */
  readonly paid?: boolean | 'unknown';
  readonly receipt?: object | null;
}

const NO_RESPONSE: ToolError = {
  code: 'no_response',
  message:
    'No response arrived, so it is unknown whether the call took effect. Check the account, or repeat the call if it had an idempotency_key.',
};

/** The simulator's explanation of a refusal; null when it is unavailable. */
async function explanationOf({ control }: Backend, requestId: string | null): Promise<string | null> {
  if (requestId === null) return null;
  const explained = await control.do('explain', { id: requestId }).catch(() => null);
  return explained?.text ?? null;
}

/** Whether an error of `fetch` means that the connection ended before the end of the response. */
function isLostResponse(error: unknown): boolean {
  return error instanceof TypeError && /^(?:fetch failed|terminated)/.test(error.message);
}

/** Converts an exception of a tool to an error for the client; null for a bug. */
export async function toolErrorOf(error: unknown, backend: Backend): Promise<ToolError | null> {
  if (error instanceof ToolRefusal)
    return { code: error.code, message: error.message, details: error.details };
  if (error instanceof BankError) {
    const { code, sentence: message, status, details, requestId } = error;
    const explanation = await explanationOf(backend, requestId);
    return { code, message, status, details, request_id: requestId, explanation };
  }
  if (error instanceof ControlError) {
    const { code, message, status } = error;
    return { code, message, status };
  }
  if (error instanceof PaymentError) {
    const { code, message, details, isPaid: paid, receipt, cause } = error;
    const requestId = cause instanceof BankError ? cause.requestId : null;
    const explanation = await explanationOf(backend, requestId);
    return { code, message, details, paid, receipt, request_id: requestId, explanation };
  }
  if (isLostResponse(error)) return NO_RESPONSE;
  if (error instanceof ChainRefusal || error instanceof ChainRpcError) {
    const { message, transactionError } = error;
    const details = transactionError === null ? {} : { transaction_error: transactionError };
    return { code: 'transaction_failed', message, details };
  }
  // DOMException, which AbortSignal.timeout throws, has no classes for its kinds.
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return { code: 'no_response', message: 'The service did not respond in time.' };
  return error instanceof RangeError ? { code: 'invalid_request', message: error.message } : null;
}

function textOf(content: object): Pick<CallToolResult, 'content'> {
  return { content: [{ type: 'text', text: JSON.stringify(content) }] };
}

/** A result with its JSON repeated as text, for clients that do not read structured content. */
export function toolResult(content: object): CallToolResult {
  return { ...textOf(content), structuredContent: { ...content } };
}

/** An error as text only: clients compare structured content with the output schema, which describes successes. */
export function errorResult(error: ToolError): CallToolResult {
  return { ...textOf({ error }), isError: true };
}
