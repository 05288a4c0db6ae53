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
import type { RpcTrace, RpcRecorderSlot } from './rpc-recorder.js';

const METHODS: MethodTable = {
  ...ACCOUNT_METHODS,
  ...BLOCK_METHODS,
  ...CLUSTER_METHODS,
  ...TOKEN_METHODS,
  ...TRANSACTION_METHODS,
};

/** What changes the chain by itself; all others only look at it. */
const WRITES = new Set(['sendTransaction', 'requestAirdrop']);
/** So often a read is made again that has seen what could not be kept. */

/** One call that was answered, for logs. */
export interface AnsweredCall {
  /** Calls of a batch have it together. */
  readonly requestId: string;
  readonly method: string;
  /** Faults that struck it. */
  readonly faults: readonly FaultReport[];
  /** Whether a fault has lost its answer. */
  readonly isLost: boolean;
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
  /** The same in the world as it is, so that work that only looks changes nothing. */
  readonly runWithoutCatchUp: <T>(work: () => T | Promise<T>) => T | Promise<T>;
  readonly newRequestId: () => string;
  readonly onAnswer: (answered: AnsweredCall) => void;
  readonly faults: Faults;
  readonly recorder: RpcRecorderSlot;
  /** Lets so many milliseconds of the world's time pass. */
  readonly sleep: (ms: number) => Promise<void>;
  /** How often the world went back to what the disk holds, and lost what was done since. */
  readonly rollbackCount: () => number;
  /** A promise to wait for before an answer is given; null for none. It is broken when what was done after so many losses is lost. */
  readonly whenDurable: (rollbackCount?: number) => Promise<void> | null;
  /** What came of a work, once everything that it tells of is kept; a read that has seen what could not be kept is made again. */
  readonly awaitDurable: <T>(work: (isAgain: boolean) => T | Promise<T>, isRead: boolean) => Promise<T>;
  /** Whether an exception is no bug: what was done could not be kept, and nothing stays of it. */
  readonly isKnown: (error: unknown) => boolean;
  /** Told of exceptions: each is a bug of the simulator. */
  readonly onBug: (error: unknown, method: string) => void;
}

/** Methods that only one way of talking has, such as subscriptions of a WebSocket. They run outside the world's gate. */
export type ExtraMethods = Readonly<Record<string, (params: Params) => unknown>>;

/** The answer to a message. */
export interface RpcAnswer {
  readonly requestId: string;
  /** Empty when the message asks for no answer. */
  readonly text: string;
  /** Of HTTP: 200 unless a fault says otherwise. */
  readonly status: number;
  readonly retryAfterSeconds: number | null;
  /** Whether the connection is to end instead. */
  readonly isLost: boolean;
}

/** What becomes known of a call on its way. */
interface CallUnderWay {
  readonly requestId: string;
  faults: readonly FaultReport[];
  /** What a fault puts in the place of the answer; null for none. */
  instead: FaultEffect | null;
  /** Null while nothing is recorded. */
  trace: RpcTrace | null;
  /** Of the message that it came in. */
  readonly budget: MessageBudget;
}

const NO_EXTRAS: ExtraMethods = {};
const NONE: readonly FaultReport[] = [];

/** What nodes answer to too many requests, and when they are not well. Source: Agave's rpc-client-api, custom_error. */
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

/** The answer to a call of a batch that is not run; empty when it asks for none. */
function notRun(call: unknown, objection: RpcError): string {
  const { id } = (typeof call === 'object' && call !== null ? call : {}) as { id?: unknown };
  if (id === undefined) return '';
  return errorEnvelope(typeof id === 'string' || typeof id === 'number' ? id : null, objection);
}

/** Lets other requests get through. */
function othersTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Answers JSON-RPC 2.0 messages, single or in a batch. */
export class Dispatcher {
  readonly #options: DispatcherOptions;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** The answer to a message. Never rejects. */
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
      const scheduler: CallUnderWay = { requestId, faults: NONE, instead: null, trace: null, budget };
      const answer = whole(await this.#one(message, extras, scheduler));
      if (scheduler.instead === null) return answer;
      if (scheduler.instead.kind !== 'answer') return { ...answer, isLost: true };
      const { status, retryAfterSeconds } = scheduler.instead;
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
    // One after another, so that a batch sees its own effects in order.
    for (const [at, call] of message.entries()) {
      if (at > 0) await othersTurn();
      const objection = at === 0 ? null : budget.objection();
      const scheduler: CallUnderWay = { requestId, faults: NONE, instead: null, trace: null, budget };
      const answer = objection === null ? await this.#one(call, extras, scheduler) : notRun(call, objection);
      if (answer !== '') answers.push(answer);
      if (scheduler.instead !== null && scheduler.instead.kind !== 'answer') isLost = true;
    }
    return { ...whole(answers.length === 0 ? '' : `[${answers.join(',')}]`), isLost };
  }

  async #one(message: unknown, extras: ExtraMethods, scheduler: CallUnderWay): Promise<string> {
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
    scheduler.trace = this.#options.recorder.on?.rpc(method, call['params'], scheduler.requestId) ?? null;
    try {
      const params = new Params(call['params']);
      const run = (isAgain: boolean) => this.#call(method, params, { extras, scheduler, isAgain });
      result = (await this.#options.awaitDurable(run, !WRITES.has(method))) ?? null;
      const { instead } = scheduler;
      if (instead?.kind === 'answer') throw injected(instead);
      if (typeof result === 'string') detail = result;
      answer = envelope(id ?? null, `"result":${toJson(result)}`);
      scheduler.budget.take(answer);
    } catch (error) {
      failure = this.#failureOf(error, method);
      answer = errorEnvelope(id ?? null, failure);
    }
    const isLost = scheduler.instead !== null && scheduler.instead.kind !== 'answer';
    scheduler.trace?.answered(failure === null ? { result } : { error: failure }, isLost);
    this.#options.onAnswer({
      requestId: scheduler.requestId,
      method: shortText(method),
      faults: scheduler.faults,
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
    { extras, scheduler, isAgain }: { extras: ExtraMethods; scheduler: CallUnderWay; isAgain: boolean },
  ): unknown {
    if (Object.hasOwn(extras, method)) return extras[method]?.(params);
    const run = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
    if (run === undefined)
      throw new RpcError(RPC_CODES.methodNotFound, `Method not found: ${shortText(method)}`);
    const { context, inWorld, runWithoutCatchUp, faults } = this.#options;
    if (!faults.isEmpty && !isAgain) return this.#troubled(method, params, { run, scheduler });
    const cause = { requestId: scheduler.requestId, trouble: null };
    const { trace } = scheduler;
    return (isAgain ? runWithoutCatchUp : inWorld)(() => {
      const work = () => run(params, context, cause);
      return trace === null ? work() : trace.still(work);
    });
  }

  /** The same while there are faults: they may strike before and after, and on the way to the chain. */
  async #troubled(
    method: string,
    params: Params,
    { run, scheduler }: { run: Method; scheduler: CallUnderWay },
  ): Promise<unknown> {
    const { context, inWorld, faults, sleep, rollbackCount, whenDurable } = this.#options;
    const plan = await inWorld(() => {
      const wallets = method === 'sendTransaction' ? signersOf(params) : [];
      const met = faults.meet({ kind: 'rpc', name: method, wallets, nowMs: context.chain.nowMs() });
      scheduler.trace?.arrived(met.before.some(({ kind }) => kind === 'delay'));
      return met;
    });
    scheduler.faults = plan.told;
    scheduler.instead = await applyFaults(plan.before, sleep);
    if (scheduler.instead !== null) return null;
    const cause = { requestId: scheduler.requestId, trouble: plan.trouble };
    const { trace } = scheduler;
    const work = () => run(params, context, cause);
    let lossesBefore = 0;
    const result = await inWorld(() => {
      lossesBefore = rollbackCount();
      return trace === null ? work() : trace.still(work);
    });
    scheduler.instead = await applyFaults(plan.after, sleep);
    // While it waited, the disk may not have taken what it did.
    if (lossesBefore !== rollbackCount()) await whenDurable(lossesBefore);
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
