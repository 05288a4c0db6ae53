import type { MethodTable, RpcContext } from './context.js';
import { RPC_CODES, RpcError } from './errors.js';
import { toJson } from './json.js';
import { ACCOUNT_METHODS } from './methods/accounts.js';
import { BLOCK_METHODS } from './methods/blocks.js';
import { CLUSTER_METHODS } from './methods/cluster.js';
import { TOKEN_METHODS } from './methods/tokens.js';
import { TRANSACTION_METHODS } from './methods/transactions.js';
import { Params } from './params.js';

/** The most calls in a batch. */
export const MAX_BATCH = 1_000;

const METHODS: MethodTable = {
  ...ACCOUNT_METHODS,
  ...BLOCK_METHODS,
  ...CLUSTER_METHODS,
  ...TOKEN_METHODS,
  ...TRANSACTION_METHODS,
};

/** One call that was answered, for logs. */
export interface AnsweredCall {
  readonly method: string;
  /** What came of a transaction or what was asked for, when it is short; null otherwise. */
  readonly detail: string | null;
  /** The code of the JSON-RPC error; null for a result. */
  readonly code: number | null;
  readonly message: string | null;
  readonly ms: number;
}

export interface DispatcherOptions {
  readonly context: RpcContext;
  /** Runs work when nothing is moving the whole world, after what has fallen due. */
  readonly inWorld: <T>(work: () => T | Promise<T>) => T | Promise<T>;
  readonly onAnswer?: ((answered: AnsweredCall) => void) | undefined;
  /** Told of exceptions: each is a bug of the simulator. */
  readonly onBug: (error: unknown, method: string) => void;
}

/** Methods that only one way of talking has, such as subscriptions of a WebSocket. They run outside the world's gate. */
export type ExtraMethods = Readonly<Record<string, (params: Params) => unknown>>;

const NO_EXTRAS: ExtraMethods = {};

function envelope(id: unknown, answer: string): string {
  return `{"jsonrpc":"2.0",${answer},"id":${toJson(id)}}`;
}

function errorEnvelope(id: unknown, { code, message, data }: RpcError): string {
  return envelope(id, `"error":${toJson({ code, message, data })}`);
}

/** Answers JSON-RPC 2.0 messages, single or in a batch. */
export class Dispatcher {
  readonly #options: DispatcherOptions;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** The answer to a message as text; empty when it asks for none (a notification). Never rejects. */
  async answer(text: string, extras: ExtraMethods = NO_EXTRAS): Promise<string> {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return errorEnvelope(null, new RpcError(RPC_CODES.parseError, 'Parse error'));
    }
    if (!Array.isArray(message)) return this.#one(message, extras);
    if (message.length === 0 || message.length > MAX_BATCH) {
      const reason = message.length === 0 ? 'an empty batch' : `a batch of more than ${MAX_BATCH} calls`;
      return errorEnvelope(null, new RpcError(RPC_CODES.invalidRequest, `Invalid request: ${reason}`));
    }
    const answers: string[] = [];
    // One after another, so that a batch sees its own effects in order.
    for (const call of message) {
      const answer = await this.#one(call, extras);
      if (answer !== '') answers.push(answer);
    }
    return answers.length === 0 ? '' : `[${answers.join(',')}]`;
  }

  async #one(message: unknown, extras: ExtraMethods): Promise<string> {
    const call = (typeof message === 'object' && message !== null ? message : {}) as Record<string, unknown>;
    const { id, method } = call;
    const isIdValid = id === undefined || id === null || typeof id === 'string' || typeof id === 'number';
    if (typeof method !== 'string' || !isIdValid || Array.isArray(message)) {
      const reason = typeof method === 'string' ? 'id must be text or a number' : 'method must be text';
      return errorEnvelope(
        isIdValid ? (id ?? null) : null,
        new RpcError(RPC_CODES.invalidRequest, `Invalid request: ${reason}`),
      );
    }
    const from = performance.now();
    let failure: RpcError | null = null;
    let answer = '';
    let detail: string | null = null;
    try {
      const result = (await this.#call(method, call['params'], extras)) ?? null;
      if (typeof result === 'string') detail = result;
      answer = envelope(id ?? null, `"result":${toJson(result)}`);
    } catch (error) {
      failure = this.#failureOf(error, method);
      answer = errorEnvelope(id ?? null, failure);
    }
    this.#options.onAnswer?.({
      method,
      detail,
      code: failure?.code ?? null,
      message: failure?.message ?? null,
      ms: performance.now() - from,
    });
    return id === undefined ? '' : answer;
  }

  #call(method: string, given: unknown, extras: ExtraMethods): unknown {
    if (Object.hasOwn(extras, method)) return extras[method]?.(new Params(given));
    const run = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
    if (run === undefined) throw new RpcError(RPC_CODES.methodNotFound, `Method not found: ${method}`);
    const { context, inWorld } = this.#options;
    return inWorld(() => run(new Params(given), context));
  }

  #failureOf(error: unknown, method: string): RpcError {
    if (error instanceof RpcError) return error;
    this.#options.onBug(error, method);
    return new RpcError(
      RPC_CODES.internalError,
      'Internal error: the simulator made a mistake; nothing is known of the call',
    );
  }
}
