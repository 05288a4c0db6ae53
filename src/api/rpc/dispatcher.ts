import { setImmediate as othersTurn } from 'node:timers/promises';
import { keptText, shortText } from '../../core/domain/short-text.js';
import { StorageUnavailable } from '../../core/journal/storage-unavailable.js';
import type { FaultEffect } from '../../runtime/faults/fault-rules.js';
import { LOGGED_ANSWER, LOGGED_INPUT, PendingRequest } from '../pipeline/pending-request.js';
import type { RequestWork } from '../pipeline/pipeline.js';
import type { RpcOutcome } from '../pipeline/recorder-port.js';
import type { MethodTable, RpcContext } from './context.js';
import { RPC_CODES, RpcError } from './errors.js';
import { parseExactJson, toJson } from '../../core/exact-json.js';
import { MessageBudget } from './limits.js';
import { ACCOUNT_METHODS } from './methods/accounts.js';
import { BLOCK_METHODS } from './methods/blocks.js';
import { CLUSTER_METHODS } from './methods/cluster.js';
import { INFLATION_METHODS } from './methods/inflation.js';
import { TOKEN_METHODS } from './methods/tokens.js';
import { TRANSACTION_METHODS, signersOf } from './methods/transactions.js';
import { Params } from './params.js';

const METHODS: MethodTable = {
  ...ACCOUNT_METHODS,
  ...BLOCK_METHODS,
  ...CLUSTER_METHODS,
  ...INFLATION_METHODS,
  ...TOKEN_METHODS,
  ...TRANSACTION_METHODS,
};

/** The methods that change the chain; all others read. */
const WRITES = new Set(['sendTransaction', 'requestAirdrop']);

/** Methods of one transport only, such as the subscriptions of a WebSocket. They run outside the world's lock. */
export type ExtraMethods = Readonly<Record<string, (params: Params) => unknown>>;

export interface RpcAnswer {
  readonly requestId: string;
  /** Empty when the message needs no response. */
  readonly text: string;
  /** The HTTP status: 200 unless a fault sets it. */
  readonly status: number;
  readonly retryAfterSeconds: number | null;
  /** Whether to close the connection instead. */
  readonly isLost: boolean;
}

interface Message {
  /** The call with all digits of its integers. */
  readonly exact: unknown;
  /** Whether its parameters are logged. */
  readonly isSmall: boolean;
  readonly requestId: string;
  readonly extras: ExtraMethods;
  readonly budget: MessageBudget;
  /** See `RequestWork.rollbacks`. */
  readonly rollbacks: number | undefined;
}

interface CallAnswer {
  /** Empty when the call needs no response. */
  readonly text: string;
  /** For recordings; null when the call was not carried out, or a fault has lost the response. */
  readonly outcome: RpcOutcome | null;
  /** A fault's replacement for it; null for none. */
  readonly instead: FaultEffect | null;
}

const NO_EXTRAS: ExtraMethods = {};

/** The errors of nodes for too many requests, and when unhealthy. Source: Agave's rpc-client-api, custom_error. */
const FAULT_CODES: Readonly<Record<number, number>> = { 429: 429 };

function injected({ status, code, message }: FaultEffect & { kind: 'replace-response' }): RpcError {
  const number = Number(code);
  const isNumber = code !== '' && Number.isInteger(number);
  return new RpcError(isNumber ? number : (FAULT_CODES[status] ?? RPC_CODES.nodeUnhealthy), message);
}

function envelope(id: unknown, answer: string): string {
  return `{"jsonrpc":"2.0",${answer},"id":${toJson(id)}}`;
}

function errorEnvelope(id: unknown, { code, message, data }: RpcError): string {
  const rest = data === undefined ? '' : `,"data":${toJson(data)}`;
  return envelope(id, `"error":{"code":${code},"message":${toJson(message)}${rest}}`);
}

function objectOf(value: unknown): Record<string, unknown> {
  return (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
}

/** The response to a call of a batch that is not run; empty when it needs none. */
function notRun(call: unknown, objection: RpcError): CallAnswer {
  const { id } = objectOf(call);
  const text = errorEnvelope(typeof id === 'string' || typeof id === 'number' ? id : null, objection);
  return { text: id === undefined ? '' : text, outcome: null, instead: null };
}

/** Dispatches JSON-RPC 2.0 messages, single or in a batch. */
export class Dispatcher {
  readonly #context: RpcContext;

  constructor(context: RpcContext) {
    this.#context = context;
  }

  /** The response to a message, which may have waited since it arrived. Never rejects. */
  async answer(text: string, extras: ExtraMethods = NO_EXTRAS, rollbacks?: number): Promise<RpcAnswer> {
    const requestId = this.#context.world.pipeline.newRequestId('rpc');
    const whole = (answer: string): RpcAnswer => ({
      requestId,
      text: answer,
      status: 200,
      retryAfterSeconds: null,
      isLost: false,
    });
    let message: unknown;
    let exact: unknown;
    try {
      ({ plain: message, exact } = parseExactJson(text));
    } catch {
      return whole(errorEnvelope(null, new RpcError(RPC_CODES.parseError, 'Parse error')));
    }
    const { limits } = this.#context.world;
    const budget = new MessageBudget(limits);
    const within = {
      requestId,
      extras,
      budget,
      rollbacks,
      exact,
      isSmall: text.length <= LOGGED_INPUT,
    };
    if (!Array.isArray(message)) {
      const { text: only, instead } = await this.#one(message, within);
      if (instead?.kind !== 'replace-response') return { ...whole(only), isLost: instead !== null };
      const { status, retryAfterSeconds } = instead;
      return { ...whole(only), status, retryAfterSeconds };
    }
    const { rpcBatchCalls } = limits;
    if (message.length === 0 || message.length > rpcBatchCalls) {
      const reason =
        message.length === 0
          ? 'an empty batch'
          : `a batch of more than ${rpcBatchCalls} calls (limit rpcBatchCalls)`;
      return whole(errorEnvelope(null, new RpcError(RPC_CODES.invalidRequest, `Invalid request: ${reason}`)));
    }
    const answers: string[] = [];
    let isLost = false;
    // Sequentially, so that a batch sees its own effects in order.
    for (const [at, call] of message.entries()) {
      if (at > 0) await othersTurn();
      const objection = at === 0 ? null : budget.objection();
      const answer =
        objection === null
          ? await this.#one(call, { ...within, exact: (exact as unknown[])[at] })
          : notRun(call, objection);
      if (answer.text !== '') answers.push(answer.text);
      isLost ||= answer.instead !== null && answer.instead.kind !== 'replace-response';
    }
    return { ...whole(answers.length === 0 ? '' : `[${answers.join(',')}]`), isLost };
  }

  #one(message: unknown, within: Message): CallAnswer | Promise<CallAnswer> {
    const { requestId, extras, budget, rollbacks } = within;
    const call = objectOf(message);
    const { method } = call;
    const { id, params } = objectOf(within.exact);
    const isIdValid = id === undefined || id === null || ['string', 'number', 'bigint'].includes(typeof id);
    if (typeof method !== 'string' || !isIdValid || Array.isArray(message)) {
      const reason = typeof method === 'string' ? 'id must be text or a number' : 'method must be text';
      const error = new RpcError(RPC_CODES.invalidRequest, `Invalid request: ${reason}`);
      return { text: errorEnvelope(isIdValid ? (id ?? null) : null, error), outcome: null, instead: null };
    }
    const { pipeline } = this.#context.world;
    const name = shortText(method);
    const pending = new PendingRequest<CallAnswer>({
      requestId,
      interface: 'rpc',
      method: 'RPC',
      path: name,
    });
    const { record } = pending;
    record.operation = name;
    if (within.isSmall) record.input = call['params'] ?? [];
    pending.trace = pipeline.recorder.on?.rpc(method, call['params'], requestId) ?? null;
    const answered = (text: string, outcome: RpcOutcome, instead: FaultEffect | null): CallAnswer => {
      record.status = 200;
      return { text: id === undefined ? '' : text, outcome, instead };
    };
    const refused = (error: RpcError, instead: FaultEffect | null = null): CallAnswer => {
      record.code = error.code;
      record.message = error.message;
      return answered(errorEnvelope(id ?? null, error), { error }, instead);
    };
    return pipeline.answer(pending, {
      enter: () => this.#workOf(pending, method, { params: new Params(params), extras, rollbacks }),
      render: (result: unknown = null, instead) => {
        if (instead?.kind === 'replace-response') return refused(injected(instead), instead);
        if (instead !== null) return { text: '', outcome: null, instead };
        const json = toJson(result);
        // Signatures and hashes are always kept: they say what a call was about. Each is a copy, or it would keep its parts.
        if (pipeline.keepsAnswers || typeof result === 'string')
          record.answer = keptText(json, LOGGED_ANSWER);
        const text = envelope(id ?? null, `"result":${json}`);
        budget.take(text);
        return answered(text, { result }, null);
      },
      fail: (error) => refused(this.#failureOf(error, method)),
    });
  }

  #workOf(
    pending: PendingRequest<CallAnswer>,
    method: string,
    { params, extras, rollbacks }: { params: Params; extras: ExtraMethods; rollbacks: number | undefined },
  ): RequestWork<unknown> {
    const extra = Object.hasOwn(extras, method) ? extras[method] : undefined;
    if (extra !== undefined) return { isRead: true, takesLock: true, run: () => extra(params) };
    const called = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
    if (called === undefined)
      throw new RpcError(RPC_CODES.methodNotFound, `Method not found: ${shortText(method)}`);
    const context = this.#context;
    return {
      isRead: !WRITES.has(method),
      rollbacks,
      target: () => {
        const wallets = method === 'sendTransaction' ? signersOf(params) : [];
        return { kind: 'rpc', name: method, wallets, nowMs: context.chain.nowMs() };
      },
      run: (cause) => pending.still(() => called(params, context, cause)),
    };
  }

  #failureOf(error: unknown, method: string): RpcError {
    if (error instanceof RpcError) return error;
    if (error instanceof StorageUnavailable)
      return new RpcError(
        RPC_CODES.internalError,
        'storage_unavailable: the world could not be written to the disk, or was reverted; try again',
      );
    this.#context.world.pipeline.bug(error, method);
    return new RpcError(
      RPC_CODES.internalError,
      'Internal error: this is a bug in the simulator; the outcome of the call is unknown',
    );
  }
}
