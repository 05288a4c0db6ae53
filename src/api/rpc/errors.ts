/** Codes of JSON-RPC 2.0 and of Solana's own. Source: Agave's rpc-client-api, custom_error. */
export const RPC_CODES = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  preflightFailure: -32_002,
  signatureVerificationFailure: -32_003,
  blockNotAvailable: -32_004,
  nodeUnhealthy: -32_005,
  slotSkipped: -32_007,
  unsupportedTransactionVersion: -32_015,
  minContextSlotNotReached: -32_016,
} as const;

/** A refusal as a JSON-RPC error. */
export class RpcError extends Error {
  override readonly name = 'RpcError';

  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

export function invalidParam(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, `Invalid param: ${message}`);
}

/** Invalid parameters, with the message of a cluster. Source: rpc.rs of Agave, and serde_json. */
export function invalidParams(message: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, message);
}

/** An error for exceeding a limit of the simulator. Agave uses this code for too many subscriptions. */
export function limitError(message: string): RpcError {
  return new RpcError(RPC_CODES.internalError, message);
}

/** The responses to a message exceed `maxBytes`. */
export function answerTooLarge(maxBytes: number): RpcError {
  return limitError(
    `Response too large: the responses to one message may have ${maxBytes} bytes; request less at once (limit rpcResponseBytes)`,
  );
}
