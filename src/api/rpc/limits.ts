import type { Limits } from '../../core/limits.js';
import { type RpcError, answerTooLarge, limitError } from './errors.js';

export type RpcLimits = Pick<Limits, Extract<keyof Limits, `rpc${string}`>>;

/** The largest body of a request and the largest message of a WebSocket, in bytes: a batch of several hundred transactions. */
export const MAX_BODY_BYTES = 1_024 * 1_024;

/** The budget of one message: characters of responses and, for a batch, real milliseconds. */
export class MessageBudget {
  readonly #limits: RpcLimits;
  readonly #beganMs = performance.now();
  #left: number;

  constructor(limits: RpcLimits) {
    this.#limits = limits;
    this.#left = limits.rpcResponseBytes;
  }

  /** Why the next call of a batch must not run; null when it may. */
  objection(): RpcError | null {
    const { rpcBatchMs, rpcResponseBytes } = this.#limits;
    if (this.#left <= 0) return answerTooLarge(rpcResponseBytes);
    if (performance.now() - this.#beganMs <= rpcBatchMs) return null;
    return limitError(
      `Batch too long: the calls before this one took more than ${rpcBatchMs} ms, so it was not run; send smaller batches (limit rpcBatchMs)`,
    );
  }

  /** Counts a response. Throws RpcError when it exceeds the rest of the budget; no later response fits then. */
  take(answer: string): void {
    this.#left -= answer.length;
    if (this.#left < 0) throw answerTooLarge(this.#limits.rpcResponseBytes);
  }
}
