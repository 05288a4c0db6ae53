import type { Limits } from '../../core/limits.js';

/** The configurable limits of the RPC. */
export type RpcLimits = Pick<Limits, Extract<keyof Limits, `rpc${string}`>>;

/** The largest body of a request and the largest message of a WebSocket, in bytes: a batch of several hundred transactions. */
export const MAX_BODY_BYTES = 1_024 * 1_024;
