import { shortText } from '../../core/domain/short-text.js';
import { type FaultEffect, type Faults, type FaultReport, applyFaults } from '../../runtime/faults/faults.js';
import { MessageBudget } from './budget.js';
import type { Method, MethodTable, RpcContext } from './context.js';
import { RPC_CODES, RpcError } from './errors.js';
import { toJson } from './json.js';
import { ACCOUNT_METHODS } from './methods/accounts.js';
import { BLOCK_METHODS } from './methods/blocks.js';
import { CLUSTER_METHODS } from './methods/cluster.js';
import { TOKEN_METHODS } from './methods/tokens.js';
import { TRANSACTION_METHODS, signersOf } from './methods/transactions.js';
import { Params } from './params.js';
import type { RpcTrace, RpcRecorderSlot } from './recorder-port.js';

const METHODS: MethodTable = {
  ...ACCOUNT_METHODS,
  ...BLOCK_METHODS,
  ...CLUSTER_METHODS,
  ...TOKEN_METHODS,
  ...TRANSACTION_METHODS,
};

/** The methods that change the chain; all others only read. */
const WRITES = new Set(['sendTransaction', 'requestAirdrop']);

/** An answered call, for logs. */
export interface AnsweredCall {
  /** Shared by the calls of a batch. */
  readonly requestId: string;
  readonly method: string;
  /** Faults injected into it. */
  readonly faults: readonly FaultReport[];
  /** Whether a fault has lost its response. */
  readonly isLost: boolean;
  /** The result, when it is a string such as a signature; null otherwise. */
  readonly detail: string | null;
  /** The code of the JSON-RPC error; null for a result. */
  readonly code: number | null;
  readonly message: string | null;
  readonly ms: number;
}

export interface DispatcherOptions {
  readonly context: RpcContext;
  /** Runs shared work, after due events have run. */
  readonly inWorld: <T>(work: () => T | Promise<T>) => T | Promise<T>;
  /** Runs shared work on the world as it is, so that reads change nothing. */
  readonly runWithoutCatchUp: <T>(work: () => T | Promise<T>) => T | Promise<T>;
  readonly newRequestId: () => string;
  readonly onAnswer: (answered: AnsweredCall) => void;
  readonly faults: Faults;
  readonly recorder: RpcRecorderSlot;
  /** Waits milliseconds of the world's time. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Number of rollbacks to the durable state. */
  readonly rollbackCount: () => number;
  /**
   * Resolves before a response may be sent; null when there is nothing to wait for. Rejects when the world
   * was rolled back since `rollbackCount`.
   */
  readonly whenDurable: (rollbackCount?: number) => Promise<void> | null;
  /** Returns the result of `work` once its effects are durable; retries a read that has seen changes which were rolled back. */
  readonly awaitDurable: <T>(work: (isAgain: boolean) => T | Promise<T>, isRead: boolean) => Promise<T>;
  /** Whether an exception is expected: the effects could not be made durable and were rolled back. */
  readonly isKnown: (error: unknown) => boolean;
  /** Called with exceptions: each is a bug of the simulator. */
  readonly onBug: (error: unknown, method: string) => void;
}

/** Methods of one transport only, such as the subscriptions of a WebSocket. They run outside the world's lock. */
export type ExtraMethods = Readonly<Record<string, (params: Params) => unknown>>;

/** The response to a message. */
export interface RpcAnswer {
  readonly requestId: string;
  /** Empty when the message needs no response. */
  readonly text: string;
  /** For HTTP: 200 unless set by a fault. */
  readonly status: number;
  readonly retryAfterSeconds: number | null;
  /** Whether to close the connection instead. */
  readonly isLost: boolean;
}

/** What is collected about a call in flight. */
interface CallUnderWay {
  readonly requestId: string;
  faults: readonly FaultReport[];
  /** A fault's replacement for the response; null for none. */
  instead: FaultEffect | null;
  /** `null` while nothing is recorded. */
  trace: RpcTrace | null;
  /** That of the message it came in. */
  readonly budget: MessageBudget;
}

const NO_EXTRAS: ExtraMethods = {};
const NONE: readonly FaultReport[] = [];

/** What nodes respond to too many requests, and when they are unhealthy. Source: Agave's rpc-client-api, custom_error. */
const FAULT_CODES: Readonly<Record<number, number>> = { 429: 429 };

function injected({ status, code, message }: FaultEffect & { kind: 'answer' }): RpcError {
  const number = Number(code);
  const isNumber = code !== '' && Number.isInteger(number);
  return new RpcError(isNumber ? number : (FAULT_CODES[status] ?? RPC_CODES.nodeUnhealthy), message);
}

function envelope(id: unknown, answer: string): string {
  return `{"jsonrpc":"2.0",${answer},"id":${toJson(id)}}`;
}

function errorEnvelope(id: unknown, { code, message, data }: RpcError): string {
  return envelope(id, `"error":${toJson({ code, message, data })}`);
}

/** The response to a call of a batch that is not run; empty when it needs none. */
function notRun(call: unknown, objection: RpcError): string {
  const { id } = (typeof call === 'object' && call !== null ? call : {}) as { id?: unknown };
  if (id === undefined) return '';
  return errorEnvelope(typeof id === 'string' || typeof id === 'number' ? id : null, objection);
}

/** Yields to other requests. */
function othersTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Dispatches JSON-RPC 2.0 messages, single or in a batch. */
export class Dispatcher {
  readonly #options: DispatcherOptions;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** The response to a message. Never rejects. */
  async answer(text: string, extras: ExtraMethods = NO_EXTRAS): Promise<RpcAnswer> {
    const requestId = this.#options.newRequestId();
    const whole = (answer: string): RpcAnswer => ({
      requestId,
      text: answer,
      status: 200,
      retryAfterSeconds: null,
      isLost: false,
    });
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return whole(errorEnvelope(null, new RpcError(RPC_CODES.parseError, 'Parse error')));
    }
    const budget = new MessageBudget(this.#options.context.limits);
    if (!Array.isArray(message)) {
      const pending: CallUnderWay = { requestId, faults: NONE, instead: null, trace: null, budget };
      const answer = whole(await this.#one(message, extras, pending));
      if (pending.instead === null) return answer;
      if (pending.instead.kind !== 'answer') return { ...answer, isLost: true };
      const { status, retryAfterSeconds } = pending.instead;
      return { ...answer, status, retryAfterSeconds };
    }
    const { rpcBatchCalls } = this.#options.context.limits;
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
      const pending: CallUnderWay = { requestId, faults: NONE, instead: null, trace: null, budget };
      const answer = objection === null ? await this.#one(call, extras, pending) : notRun(call, objection);
      if (answer !== '') answers.push(answer);
      if (pending.instead !== null && pending.instead.kind !== 'answer') isLost = true;
    }
    return { ...whole(answers.length === 0 ? '' : `[${answers.join(',')}]`), isLost };
  }

  async #one(message: unknown, extras: ExtraMethods, pending: CallUnderWay): Promise<string> {
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
    let result: unknown = null;
    pending.trace = this.#options.recorder.on?.rpc(method, call['params'], pending.requestId) ?? null;
    try {
      const params = new Params(call['params']);
      const run = (isAgain: boolean) => this.#call(method, params, { extras, pending, isAgain });
      result = (await this.#options.awaitDurable(run, !WRITES.has(method))) ?? null;
      const { instead } = pending;
      if (instead?.kind === 'answer') throw injected(instead);
      if (typeof result === 'string') detail = result;
      answer = envelope(id ?? null, `"result":${toJson(result)}`);
      pending.budget.take(answer);
    } catch (error) {
      failure = this.#failureOf(error, method);
      answer = errorEnvelope(id ?? null, failure);
    }
    const isLost = pending.instead !== null && pending.instead.kind !== 'answer';
    pending.trace?.answered(failure === null ? { result } : { error: failure }, isLost);
    this.#options.onAnswer({
      requestId: pending.requestId,
      method: shortText(method),
      faults: pending.faults,
      isLost,
      detail,
      code: failure?.code ?? null,
      message: failure?.message ?? null,
      ms: performance.now() - from,
    });
    return id === undefined ? '' : answer;
  }

  #call(
    method: string,
    params: Params,
    { extras, pending, isAgain }: { extras: ExtraMethods; pending: CallUnderWay; isAgain: boolean },
  ): unknown {
    if (Object.hasOwn(extras, method)) return extras[method]?.(params);
    const run = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
    if (run === undefined)
      throw new RpcError(RPC_CODES.methodNotFound, `Method not found: ${shortText(method)}`);
    const { context, inWorld, runWithoutCatchUp, faults } = this.#options;
    if (!faults.isEmpty && !isAgain) return this.#withFaults(method, params, { run, pending });
    const cause = { requestId: pending.requestId, trouble: null };
    const { trace } = pending;
    return (isAgain ? runWithoutCatchUp : inWorld)(() => {
      const work = () => run(params, context, cause);
      return trace === null ? work() : trace.still(work);
    });
  }

  /** `#call` with faults: injected before and after the call, and on the way to the chain. */
  async #withFaults(
    method: string,
    params: Params,
    { run, pending }: { run: Method; pending: CallUnderWay },
  ): Promise<unknown> {
    const { context, inWorld, faults, sleep, rollbackCount, whenDurable } = this.#options;
    const plan = await inWorld(() => {
      const wallets = method === 'sendTransaction' ? signersOf(params) : [];
      const met = faults.meet({ kind: 'rpc', name: method, wallets, nowMs: context.chain.nowMs() });
      pending.trace?.arrived(met.before.some(({ kind }) => kind === 'delay'));
      return met;
    });
    pending.faults = plan.told;
    pending.instead = await applyFaults(plan.before, sleep);
    if (pending.instead !== null) return null;
    const cause = { requestId: pending.requestId, trouble: plan.trouble };
    const { trace } = pending;
    const work = () => run(params, context, cause);
    let rollbacksBefore = 0;
    const result = await inWorld(() => {
      rollbacksBefore = rollbackCount();
      return trace === null ? work() : trace.still(work);
    });
    pending.instead = await applyFaults(plan.after, sleep);
    // During the delay, its effects may have been rolled back.
    if (rollbacksBefore !== rollbackCount()) await whenDurable(rollbacksBefore);
    return result;
  }

  #failureOf(error: unknown, method: string): RpcError {
    if (error instanceof RpcError) return error;
    if (this.#options.isKnown(error))
      return new RpcError(
        RPC_CODES.internalError,
        'storage_unavailable: the world cannot be kept; try again',
      );
    this.#options.onBug(error, method);
    return new RpcError(
      RPC_CODES.internalError,
      'Internal error: the simulator made a mistake; nothing is known of the call',
    );
  }
}
